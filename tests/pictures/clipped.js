/* clipped.js - what of a page of `ordo view` is cut off, leaves its place, or lies over something.
 * The body of a function, as a browser runs it; it returns sentences, none if all is well. */
const faults = [];
const say = (what, node) => faults.push(
  `${what}: ${node.className.baseVal ?? node.className}: ${(node.textContent || "").slice(0, 30)}`);
const shown = node => node.checkVisibility({ visibilityProperty: true })
  && node.getClientRects().length > 0;
const all = selector => [...document.querySelectorAll(selector)].filter(shown);
const scrolls = node => {
  const style = getComputedStyle(node);
  return /auto|scroll/.test(style.overflowX + style.overflowY);
};
const letters = node => {
  const range = document.createRange();
  range.selectNodeContents(node);
  return range.getBoundingClientRect();
};

function lookAt(node) {
  const text = letters(node);
  if (!text.width) return;
  if (node.classList.contains("cell") && parseFloat(getComputedStyle(node).fontSize)) {
    const cell = node.getBoundingClientRect();
    const aside = text.left < cell.left || text.right > cell.right;
    if (aside || text.top < cell.top - 3 || text.bottom > cell.bottom + 3)
      say("letters leave the cell", node);
  }
  let at = node;
  for (; at && at !== document.body && !scrolls(at); at = at.parentElement) {
    const style = getComputedStyle(at), box = at.getBoundingClientRect();
    const aside = text.left < box.left - 1 || text.right > box.right + 1;
    const below = text.top < box.top - 2 || text.bottom > box.bottom + 2;
    if (style.overflowX === "hidden" && (aside || (below && !node.closest(".long"))))
      say(`cut by .${at.className}`, node);
  }
  if (at === document.body && (text.left < 0 || text.right > innerWidth + 0.5))
    say("beyond the window", node);
}
const silent = "script, style, .unseen, option, svg, dialog:not([open])";
const hasText = node => [...node.childNodes].some(one => one.nodeType === 3 && one.data.trim());
for (const node of all("body *")) if (!node.closest(silent) && hasText(node)) lookAt(node);

function overlap(what, nodes, slack = 0.5) {
  const boxes = nodes.map(node => [node, node.getBoundingClientRect()])
    .sort((a, b) => a[1].left - b[1].left);
  boxes.forEach(([node, a], i) => {
    for (let k = i + 1; k < boxes.length && boxes[k][1].left < a.right - slack; k++) {
      const b = boxes[k][1];
      if (a.top < b.bottom - slack && b.top < a.bottom - slack)
        say(`${what} lies over ${boxes[k][0].textContent}`, node);
    }
  });
}
overlap("label", all(".token:not(.notify)"));
overlap("name", [...all(".grid-head .part-name, .grid-head .part-range, .grid-head .row-name"),
  ...all(".grid-row > button.row-name")].filter(node => node.textContent), 3);
overlap("legend", all(".key, .phase, .grid-scroll, .made"));
overlap("panel", all("main > .panel, .head > *"));

const picture = document.querySelector(".stage").getBoundingClientRect();
for (const node of document.querySelectorAll(".stage text, .rank-ring")) {
  const box = node.getBoundingClientRect();
  const aside = box.left < picture.left - 1 || box.right > picture.right + 1;
  if (aside || box.top < picture.top - 1 || box.bottom > picture.bottom + 1)
    say("leaves the picture", node);
}
const discs = all(".rank-disc").map(node => node.getBoundingClientRect());
discs.forEach((a, i) => {
  for (const b of discs.slice(i + 1))
    if (Math.hypot(a.x - b.x, a.y - b.y) < a.width - 0.5)
      faults.push(`ranks lie over each other at ${Math.round(a.x)} ${Math.round(a.y)}`);
});
for (const node of document.querySelectorAll(".rank text")) {
  const disc = node.parentNode.querySelector(".rank-disc").getBoundingClientRect();
  if (node.getBoundingClientRect().width > disc.width + 1) say("wider than its rank", node);
}
const slots = document.querySelector(".grid-scroll") || document.querySelector("#buffers");
if (slots.scrollWidth > slots.clientWidth)
  faults.push(`slots: ${slots.scrollWidth} of ${slots.clientWidth} wide`);
if (slots.scrollHeight > slots.clientHeight)
  faults.push(`slots: ${slots.scrollHeight} of ${slots.clientHeight} high`);
return faults;
