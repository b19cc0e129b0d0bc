// A list of any length: only the rows in view are in the document.

const ROW_HEIGHT = 22;

class List {
  // `render(row)` makes the element of a row; `pick(row)` is told which one was chosen.
  constructor({label, classes = "", render, pick, fold = () => false}) {
    this.render = render;
    this.pick = pick;
    this.fold = fold;
    this.rows = [];
    this.picked = -1;
    this.window = make("div", {class: "rows"});
    this.spacer = make("div");
    this.element = make("div", {class: `list ${classes}`, tabIndex: 0, role: "listbox",
                                "aria-label": label}, this.spacer, this.window);
    this.element.addEventListener("scroll", () => this.draw());
    this.element.addEventListener("keydown", (event) => this.press(event));
    this.window.addEventListener("click", (event) => this.click(event));
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  setRows(rows, picked = -1) {
    this.rows = rows;
    this.picked = picked;
    this.spacer.style.height = `${rows.length * ROW_HEIGHT}px`;
    this.draw();
  }

  draw() {
    if (!this.element.isConnected) return;  // its rows may be of another stage
    const top = this.element.scrollTop;
    const begin = Math.max(0, Math.floor(top / ROW_HEIGHT) - 5);
    const visible = Math.ceil(this.element.clientHeight / ROW_HEIGHT) + 10;
    const elements = [];
    for (let i = begin; i < Math.min(begin + visible, this.rows.length); ++i) {
      const element = this.render(this.rows[i]);
      element.dataset.number = i;
      element.setAttribute("role", "option");
      element.setAttribute("aria-selected", i === this.picked ? "true" : "false");
      element.id = `${this.element.getAttribute("aria-label").replaceAll(" ", "-")}-${i}`;
      if (i === this.picked) {
        element.classList.add("picked");
        this.element.setAttribute("aria-activedescendant", element.id);
      }
      elements.push(element);
    }
    this.window.style.transform = `translateY(${begin * ROW_HEIGHT}px)`;
    this.window.replaceChildren(...elements);
  }

  // Scrolls a row into view, to the middle if it is far away.
  reveal(number) {
    const top = number * ROW_HEIGHT;
    const height = this.element.clientHeight;
    const from = this.element.scrollTop;
    if (top >= from && top + ROW_HEIGHT <= from + height) return;
    const near = top > from - 3 * ROW_HEIGHT && top < from + height + 3 * ROW_HEIGHT;
    const above = top < from;
    this.element.scrollTop = near ? (above ? top : top + ROW_HEIGHT - height) : top - height / 2;
  }

  choose(number) {
    if (this.rows.length === 0) return;
    this.picked = Math.min(Math.max(number, 0), this.rows.length - 1);
    this.reveal(this.picked);
    this.draw();
    this.pick(this.rows[this.picked]);
  }

  click(event) {
    const element = event.target.closest(".row");
    if (element === null) return;
    const number = Number(element.dataset.number);
    const row = this.rows[number];
    if (event.target.closest(".caret, .rest") !== null && this.fold(row, "toggle")) return;
    this.choose(number);
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW_HEIGHT) - 1);
    const last = this.rows.length - 1;
    const to = {ArrowDown: this.picked + 1, ArrowUp: this.picked - 1, PageDown: this.picked + page,
                PageUp: this.picked - page, Home: 0, End: last}[event.key];
    const fold = {ArrowLeft: "fold", ArrowRight: "unfold", Enter: "toggle", " ": "toggle"}[event.key];
    if (to !== undefined) {
      this.choose(to);
    } else if (fold === undefined || this.picked < 0 || !this.fold(this.rows[this.picked], fold)) {
      return;
    }
    event.preventDefault();
  }
}
