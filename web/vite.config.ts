import { existsSync } from "node:fs";
import { defineConfig } from "vite";

// Every page or script that is bundled; an entry joins the build as soon as its file is there.
const entries = ["treatise/main.ts", "play/index.html"].filter((entry) => existsSync(entry));

export default defineConfig({
  base: "./",
  build: {
    manifest: "manifest.json",
    // Small files stay files: the pages' content security policy allows neither inline scripts nor data fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: entries },
  },
});
