"""The icons of the installed app, drawn from public/favicon.svg by a browser: run this after the drawing changed.

python web/scripts/icons.py
"""

import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

PUBLIC = Path(__file__).parents[1] / "public"
PAPER = "#faf7f0"
# File, pixels, share of the width that the die takes, what is behind it. A mask may cut off all but the inner 80%.
ICONS = (
    ("192.png", 192, 1.0, "transparent"),
    ("512.png", 512, 1.0, "transparent"),
    ("maskable-512.png", 512, 0.55, PAPER),
    ("apple-180.png", 180, 0.78, PAPER),
)


def main() -> None:
    drawing = (PUBLIC / "favicon.svg").read_text()
    (PUBLIC / "icons").mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, pixels, share, ground in ICONS:
            page = browser.new_page(viewport={"width": pixels, "height": pixels})
            page.set_content(
                f"<style>body{{margin:0;display:grid;place-items:center;height:100vh;background:{ground}}}"
                f"svg{{width:{share:.0%}}}</style>{drawing}"
            )
            page.screenshot(path=PUBLIC / "icons" / name, omit_background=ground == "transparent")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
