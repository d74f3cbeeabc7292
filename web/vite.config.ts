import { existsSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";
import en from "./play/language/en";

// Every page or script that is bundled; an entry joins the build as soon as its file is there.
const entries = ["article/main.ts", "play/index.html", "offline/service-worker.ts"].filter((entry) =>
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

/** A text of the English file by its path, fit for HTML. */
function english(path: string): string {
  const found = path.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], en);
  if (typeof found !== "string") throw new Error(`language/en.ts has no text ${path}`);
  return found.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

// What the coach's page shows before its script runs, and to those who have none: the HTML names texts, the file has them.
const spoken: Plugin = {
  name: "spoken",
  transformIndexHtml: {
    order: "pre",
    handler: (html) =>
      html
        .replace(/(\sdata-t="([\w.]+)"[^>]*>)/g, (_, tag: string, path: string) => tag + english(path))
        .replace(/\sdata-t-label="([\w.]+)"/g, (mark, path: string) => `${mark} aria-label="${english(path)}"`)
        .replace(/\sdata-t-title="([\w.]+)"/g, (mark, path: string) => `${mark} title="${english(path)}"`)
        .replace(/\sdata-t-content="([\w.]+)"/g, (mark, path: string) => `${mark} content="${english(path)}"`),
  },
};

export default defineConfig({
  base: "./",
  plugins: [onlyWoff2, spoken],
  build: {
    manifest: "manifest.json",
    // Small files stay files: the pages' content security policy allows neither inline scripts nor data fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: entries,
      // A service worker is known by its address, and sees only what lies below it.
      output: {
        // Only one language is loaded: the site's builder knows them by their names.
        chunkFileNames: ({ facadeModuleId }) =>
          facadeModuleId?.includes("/play/language/")
            ? "assets/language-[name]-[hash].js"
            : "assets/[name]-[hash].js",
        entryFileNames: ({ name }) => (name === "service-worker" ? "[name].js" : "assets/[name]-[hash].js"),
      },
    },
  },
});
