import { existsSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

// Every page or script that is bundled; an entry joins the build as soon as its file is there.
const entries = ["treatise/main.ts", "play/index.html", "offline/service-worker.ts"].filter((entry) =>
  existsSync(entry),
);

// Every browser that can run the pages reads woff2; KaTeX brings each of its fonts in two older forms as well.
const onlyWoff2: Plugin = {
  name: "only-woff2",
  generateBundle(_options, bundle) {
    for (const [name, file] of Object.entries(bundle)) {
      if (/\.(woff|ttf)$/.test(name)) delete bundle[name];
      else if (name.endsWith(".css") && file.type === "asset")
        file.source = String(file.source).replace(/,\s*url\([^)]*\.(?:woff|ttf)\)\s*format\([^)]*\)/g, "");
    }
  },
};

export default defineConfig({
  base: "./",
  plugins: [onlyWoff2],
  build: {
    manifest: "manifest.json",
    // Small files stay files: the pages' content security policy allows neither inline scripts nor data fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: entries,
      // A service worker is known by its address, and sees only what lies below it.
      output: {
        entryFileNames: ({ name }) => (name === "service-worker" ? "[name].js" : "assets/[name]-[hash].js"),
      },
    },
  },
});
