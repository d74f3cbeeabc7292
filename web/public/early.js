// Runs before the first paint, so that a remembered theme or depth does not flash. Kept tiny and dependency-free.
(function () {
  try {
    var root = document.documentElement;
    var theme = localStorage.getItem("yatzy-theme");
    var depth = localStorage.getItem("yatzy-depth");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    if (depth === "math" || depth === "code") root.dataset.depth = depth;
  } catch (error) {
    // Storage may be forbidden; the page then starts with its defaults.
  }
})();
