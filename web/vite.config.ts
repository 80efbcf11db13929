import { createHash } from "node:crypto";
import { defineConfig, type Plugin } from "vite";

/** The hash of a text as a content security policy names it. */
function hash(text: string): string {
  return `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
}

/** Puts script and style into the page, and says in the page that nothing else may be loaded or run. */
function onePage(): Plugin {
  return {
    name: "one-page",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("no page was built");
      let html = String(page.source);
      const scripts: string[] = [];
      const styles: string[] = [];
      for (const [name, file] of Object.entries(bundle)) {
        if (file.type === "chunk") scripts.push(file.code);
        else if (name.endsWith(".css")) styles.push(String(file.source));
        else continue;
        delete bundle[name];
      }
      html = html.replace(/\s*<script type="module"[^>]*src=[^>]*><\/script>/g, "");
      html = html.replace(/\s*<link rel="stylesheet"[^>]*>/g, "");
      // Only `</script` ends a script.
      const script = `\n${scripts.join("\n").replaceAll("</script", "<\\/script")}`;
      const style = styles.join("\n");
      const policy = [
        "default-src 'none'",
        `script-src ${hash(script)}`,
        `style-src ${hash(style)}`,
        "connect-src 'self'",
        "img-src data: blob:",
        "base-uri 'none'",
        "form-action 'none'",
      ].join("; ");
      const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
      // A function: `$` in the code stands for itself.
      html = html.replace("<!--policy-->", () => meta);
      html = html.replace("</head>", () => `<style>${style}</style>\n</head>`);
      html = html.replace("</body>", () => `<script type="module">${script}</script>\n</body>`);
      page.source = html;
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [onePage()],
  build: {
    target: "es2022",
    // The folder holds a file of its own, see there.
    emptyOutDir: false,
    assetsInlineLimit: 0,
    modulePreload: false,
    chunkSizeWarningLimit: 2000,
  },
});
