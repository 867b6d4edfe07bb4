/* proof.js - what was proved: rules, guarantees and their counterexamples; and of what is refuted
 * the witnesses. */

/* What follows where a guarantee holds, and what would follow. */
const CONSEQUENCES = {
  G1: ["Every rank's copy of a chunk has the same bits.",
    "every rank's copy of a chunk would have the same bits."],
  G2: ["Every run gives the same bits, whatever its timing.",
    "every run would give the same bits, whatever its timing."],
  G3: ["An element's bits depend neither on its position, nor on count, slicing or owner.",
    "an element's bits would depend neither on its position, nor on count, slicing or owner."],
  G4: ["Another topology, a failed link or another placement of the ranks changes no bit.",
    "another topology, a failed link or another placement of the ranks would change no bit."],
  G5: ["Another number of ranks changes no bit.", "another number of ranks would change no bit."],
};
const BOUNDS = { steps: "the fewest steps", volume: "bytes of the busiest rank",
  reduce: "additions",
  cut: "bytes over the narrowest cut" };
/* "all chunks ..." -> "All chunks ... ."; f32 stays as it is. */
function asSentence(text) {
  const begin = /^[a-z]+ /.test(text) ? text[0].toUpperCase() : text[0];
  return begin + text.slice(1) + (/[.:!?]$/.test(text) ? "" : ".");
}

class Proof {
  constructor(page, box) {
    this.page = page;
    this.model = page.model;
    this.verdict = page.model.data.verdict;
    box.append(...[this.summary(), ...this.findings(), ...this.stopped(), this.guarantees(),
      this.rules(), ...this.times()]
                 .filter(part => part));
  }

  summary() {
    const { verdict, model } = this, { agrees } = model;
    const lines = verdict.proved
      ? ["Every rule holds in every interleaving: there is no timing in which this schedule does " +
          "anything else."]
      : [
          `${plural(verdict.findings.length, "finding")}.` +
            (verdict.complete ? "" : " There may be others once these are repaired.") +
            " The steps here are one interleaving of many."
        ];
    if (agrees)
      lines.push(agrees.different
          ? `At the end of these steps ${
              plural(
                agrees.different, "output slot")} differ from what is proved: this page is wrong.`
          : `At the end of these steps all ${plural(agrees.equal, "output slot")} hold ${
              model.reduces ? "the trees that were" : "what was"} proved.`);
    const { chunks } = model.data.schedule;
    const judged = verdict.proved && model.reduces && verdict.orders;
    const trees = judged && `${plural(judged, "reduction tree")} over ${plural(chunks, "chunk")}`;
    return element("section", { class: `verdict ${verdict.proved ? "good" : "bad"}` },
      element("h3", { text: verdict.proved ? "Proved" : "Refuted" }),
      ...lines.map(line => element("p", { text: line })),
      ...(verdict.digest ? [element("p", { class: "facts" }, "order digest ",
                             element("code", { text: verdict.digest }))]
                         : []),
      ...(judged ? [element("p", { class: "facts", text: trees })] : []));
  }

  /* A task by name; pressed, it is shown. */
  link(task) {
    const { model, page } = this;
    if (task < 0) return element("span", { class: "facts", text: "a task that is not shown" });
    return element("button", {
      class: "task-link",
      text: `rank ${model.rankOf[task]} ${model.streams[model.streamOf[task]].name} ${
        model.numberOf(task)}: ${model.taskText(task)}`,
      onclick: () => {
        page.chooseTask(task, true);
        if (!model.isStopped(task))
          page.go(model.doneAt[task]);
        else
          page.go(model.nstep);
      }
    });
  }
  findings() {
    return this.verdict.findings.map(finding => {
      const [first, ...rest] = finding.text.split("\n");
      const place = finding.file
        ? `${finding.file}${finding.line ? `:${finding.line}:${finding.column}` : ""}`
        : "";
      return element("section", { class: "finding" },
        element("h4", {}, element("b", { text: finding.rule || "" }), ` ${first}`),
        ...(
          rest.length && !finding.tasks.length ? [element("pre", { text: rest.join("\n") })] : []),
        ...(finding.tasks.length
            ? [element("ul", { class: "links" },
                ...finding.tasks.map(task => element("li", {}, this.link(task))))]
            : []),
        ...(finding.hint ? [element("p", { class: "hint", text: finding.hint })] : []),
        ...(place ? [element("p", { class: "facts" }, element("code", { text: place }))] : []));
    });
  }
  stopped() {
    const { stopped } = this.verdict, { model } = this;
    if (!stopped.length) return [];
    const most = 24;
    return [element("section", { class: "finding" }, element("h4", {
      text: `${plural(stopped.length, "stream")} never end${stopped.length === 1 ? "s" : ""}`
    }),
      element("ul", { class: "links" },
        ...stopped.slice(0, most).map(one => element("li", {}, this.link(one.task), element("p", {
          class: "hint",
          text: one.notify >= 0 ? "waits for"
            : one.notified      ? "waits for a rank that is not shown"
                                : "waits for a Notify that does not exist"
        }),
                                        ...(one.notify >= 0 ? [this.link(one.notify)] : [])))),
      ...(stopped.length > most
          ? [element("p", { class: "facts", text: `and ${stopped.length - most} more` })]
          : []))];
  }

  guarantees() {
    const judged = this.verdict.judged.guarantees,
          box = element("section", {}, element("h3", { text: "Guarantees" }));
    if (!judged) {
      box.append(element("p", { class: "hint",
        text: "Not checked: only a schedule that breaks no rule has a fixed order of sums." }));
      return box;
    }
    box.append(element("p", { class: "facts", text: this.model.reduces
      ? `for ${this.verdict.judged.reduction} of ${this.verdict.judged.type}`
      : `${this.model.data.schedule.operator} adds nothing: it has no order of sums to judge.` }));
    for (const { name, title, meaning } of this.verdict.guarantees) {
      const one = judged[name], state = one.verdict;
      const mark = { holds: "✓", "does not hold": "✕" }[state] || "–";
      const entry = element("details", {
        class: "judged",
        "data-guarantee": name,
        "data-state": state,
        open: state === "does not hold"
      },
        element("summary", {},
          element("span", { class: "mark", text: mark, "aria-hidden": "true" }),
          element("b", { text: name }), ` ${title} `,
          element("span", { class: "state", text: state })),
        ...this.reasons(name, one, meaning)
          .map((text, i) => element("p", { class: i ? "hint" : "", text })));
      if (one.counterexample)
        entry.append(
          this.counterexample(one.counterexample, name >= "G4" ? this.verdict.against : null));
      box.append(entry);
    }
    return box;
  }
  /* Why it is so; and what follows, or would follow if it held. */
  reasons(name, { verdict, why }, meaning) {
    const [holds, would] = CONSEQUENCES[name];
    switch (verdict) {
      case "holds":
        if (why) return [asSentence(why), holds];
        return name === "G3" ? [asSentence(meaning), holds] : [holds];
      case "does not hold": return [asSentence(why || "it does not"), `If it held, ${would}`];
      case "not applicable": return [asSentence(why || "it adds nothing"),
        `Of a sum: if it held, ${would}`];
      default:
        return [why && !why.startsWith("compare with") ? asSentence(why)
          : "It compares two schedules: use `ordo view --against FILE`.",
        `If it held, ${would}`];
    }
  }
  counterexample(found, other) {
    const real = text => {
      const number = fromHex(text);
      return Number.isFinite(number)
        ? String(Math.abs(number) >= 1e6 ? number : +number.toPrecision(9))
        : text;
    };
    const from = ({ shard, value }) => `${real(value)} from ${this.model.operandWords(shard)}`;
    const values = found.values.map(from).join(", ");
    const rows = found.elements.map(
      (one, i) => element("tr", {}, element("th", {
        scope: "row",
        text: `${other ? i ? `${other}: ` : "here: " : ""}rank ${one.rank}, chunk ${one.chunk}`
      }),
        element("td", {}, element("span", { class: "expression", text: one.tree || "" })),
        element("td", { class: "result", text: real(one.result) })));
    return element("div", { class: "counterexample" },
      element("p", { text: `With ${values} and ${real(found.rest)} from all others:` }),
      element("table", {}, element("tbody", {}, ...rows)));
  }

  rules() {
    const box = element("section", {}, element("h3", { text: "Rules" })),
          list = element("ul", { class: "rules" });
    this.verdict.rules.forEach(({ title, text, state }, i) => {
      const kind = state === "holds" ? "good" : state === "broken" ? "bad" : "open";
      list.append(element("li",
        { class: kind, "data-rule": `R${i + 1}`, "data-state": state, title: text },
        element("span",
          { class: "mark", text: { good: "✓", bad: "✕", open: "–" }[kind], "aria-hidden": "true" }),
        element("b", { text: `R${i + 1}` }), element("span", { class: "rule-title", text: title }),
        element("span", { class: "state", text: state === "holds" ? "" : state })));
    });
    box.append(list);
    return box;
  }

  times() {
    const { time } = this.model.data;
    if (!time.predicted) return [];
    const row = (name, seconds) => element("tr", {}, element("th", { scope: "row", text: name }),
      element("td", { text: secondsText(seconds) }),
      element(
        "td", { text: time.total ? `${+ (100 * seconds / time.total).toPrecision(3)} %` : "" }));
    /* What is less than that is no time but rounding. */
    const parts =
            Object.entries(time.breakdown).filter(([, seconds]) => seconds > 1e-9 * time.total),
          bounds = Object.entries(time.bounds).filter(([, seconds]) => seconds > 0);
    return [element("section", {}, element("h3", { text: "Predicted time" }),
      element("p", { class: "facts",
        text: `${secondsText(time.total)} for ${bytesText(time.bytes)} a rank` }),
      ...(parts.length ? [element("h4", { text: "On the critical path" }),
        element("table", { class: "times" },
          element("tbody", {}, ...parts.map(([name, seconds]) => row(name, seconds))))] : []),
      ...(bounds.length ? [element("h4", { text: "Lower bounds: no schedule is faster" }),
        element("table", { class: "times" },
        element("tbody", {}, ...bounds.map(([name, seconds]) => row(BOUNDS[name], seconds))))]
        : []))];
  }
}

/* "0x1.8p+26" -> 100663296 */
function fromHex(text) {
  const parts = /^(-?)0x([0-9a-f]+)(?:\.([0-9a-f]+))?p([+-]\d+)$/.exec(text);
  if (!parts) return Number(text);
  const fraction = parts[3] ? parseInt(parts[3], 16) / 16 ** parts[3].length : 0;
  return (parts[1] ? -1 : 1) * (parseInt(parts[2], 16) + fraction) * 2 ** Number(parts[4]);
}
