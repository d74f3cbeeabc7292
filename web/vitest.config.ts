import { defineConfig } from "vitest/config";

// Days are days of the page's own time zone.
process.env["TZ"] = "UTC";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    setupFiles: ["tests/support.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
