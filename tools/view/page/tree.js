/* tree.js - a sum as a picture: leaves in a row, every addition above what it adds, in the colour
 * of the phase that made it. */

/* Positions of the nodes of a tree, cut at a depth where it has more leaves than `most`. x counts
 * ends, y levels. */
function layOutTree(trees, root, most) {
  const deepest = trees.leaves[root] > most ? Math.floor(Math.log2(most)) : Infinity;
  const nodes = [], stack = [{ tree: root, depth: 0, under: null }];
  let ends = 0, levels = 0;
  /* A node comes after both its operands, and so finds them. */
  while (stack.length) {
    const top = stack[stack.length - 1];
    const inner = trees.isSum(top.tree) && top.depth < deepest;
    if (inner && !top.opened) {
      top.opened = [];
      const [a, b] = trees.operands(top.tree);
      stack.push({ tree: b, depth: top.depth + 1, under: top },
        { tree: a, depth: top.depth + 1, under: top });
      continue;
    }
    stack.pop();
    const node = { tree: top.tree, y: top.depth, operands: top.opened || [] };
    node.x = inner ? (node.operands[0].x + node.operands[1].x) / 2 : ends++;
    levels = Math.max(levels, top.depth);
    nodes.push(node);
    if (top.under) top.under.opened.push(node);
  }
  return { nodes, ends, levels };
}

/* The picture of a tree, as an SVG. */
function treePicture(model, root) {
  const { trees } = model, most = 64;
  const { nodes, ends, levels } = layOutTree(trees, root, most);
  const stepX = ends > 24 ? 18 : 26, stepY = levels > 12 ? 22 : 34, radius = ends > 24 ? 7.5 : 10;
  const at = node => [16 + node.x * stepX, 16 + node.y * stepY];
  const width = 32 + (ends - 1) * stepX, height = 32 + levels * stepY;
  const picture = drawn("svg", {
    class: "tree",
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-label": `tree of the sum ${trees.text(root)}`
  });
  for (const node of nodes)
    for (const operand of node.operands) {
      const [x, y] = at(node), [u, v] = at(operand);
      picture.append(drawn("path",
        { d: `M${x} ${y}C${x} ${(y + v) / 2} ${u} ${(y + v) / 2} ${u} ${v}`, class: "tree-edge" }));
    }
  for (const node of nodes) picture.append(treeNode(model, node, at(node), radius));
  return picture;
}

function treeNode(model, node, [x, y], radius) {
  const { trees } = model, group = drawn("g", { transform: `translate(${x} ${y})` });
  const write = model.madeAt.get(node.tree);
  if (node.operands.length) {
    const task = write === undefined ? NONE : model.order[model.writeStep[write] - 1];
    group.append(drawn("circle", {
      r: radius,
      class: "tree-sum",
      style: task < 0 ? {} : {
        fill: colours.fill(model.data.phases, model.phase[task]),
        stroke: colours.line(model.data.phases, model.phase[task])
      }
    }),
      drawn("text", { text: "+" }));
    if (task >= 0)
      group.append(drawn("title", {
        text: `${trees.text(node.tree, 16)}, first made on rank ${model.targetOf(task)} in ${
          model.phaseName(task) || "no phase"}`
      }));
  } else if (trees.leaves[node.tree] === 1) {
    group.append(drawn("rect", {
      x: -radius,
      y: -radius,
      width: 2 * radius,
      height: 2 * radius,
      rx: 3,
      class: "tree-leaf"
    }),
      drawn("text", { text: String(trees.low[node.tree]) }));
  } else {
    group.append(drawn("rect", {
      x: -radius,
      y: -radius,
      width: 2 * radius,
      height: 2 * radius,
      rx: radius,
      class: "tree-leaf tree-cut"
    }),
      drawn("text", { text: String(trees.leaves[node.tree]) }),
      drawn("title", { text: trees.text(node.tree, 16) }));
  }
  return group;
}
