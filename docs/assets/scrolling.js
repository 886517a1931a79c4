// Tables and formulas that are wider than their place scroll: a keyboard has to reach them too.
const reachable = () => document.querySelectorAll(".md-typeset__scrollwrap, .formula").forEach(part => {
  part.toggleAttribute("tabindex", part.scrollWidth > part.clientWidth);
  if (part.hasAttribute("tabindex")) part.tabIndex = 0;
});
addEventListener("load", reachable);
addEventListener("resize", reachable);
