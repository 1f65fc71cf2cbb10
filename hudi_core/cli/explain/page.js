const tip = document.getElementById('tip');
const body = document.querySelector('.slices tbody');
const rows = [...body.rows];
const heads = [...document.querySelectorAll('.slices thead th')].map(head => head.textContent);
const charts = [...document.querySelectorAll('svg.column')].map(svg => ({
  svg,
  cursor: svg.querySelector('.cursor'),
  groups: [...svg.querySelectorAll('g.rows')].map(group => ({
    top: +group.dataset.top,
    pitch: +group.dataset.pitch,
    numbers: group.dataset.rows.split(' ').map(Number),
  })),
}));
let shown = null;

function line(tag, text) {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

// The same slice is marked in every picture.
function mark(number) {
  shown = number;
  for (const { cursor, groups } of charts) {
    const group = groups.find(each => each.numbers.includes(number));
    cursor.style.visibility = group ? 'visible' : 'hidden';
    if (group) {
      cursor.setAttribute('y', group.top + group.numbers.indexOf(number) * group.pitch - 1);
      cursor.setAttribute('height', Math.max(group.pitch, 1) + 1);
    }
  }
}

function tell(number, x, y) {
  const said = [...rows[number].cells].map(cell => cell.title || cell.textContent);
  const details = said.map((text, place) => text && place > 1 ? line('div', `${heads[place]}: ${text}`) : '');
  tip.replaceChildren(line('b', said[0] + (said[1] ? ` · ${said[1]}` : '')), ...details.filter(Boolean));
  tip.hidden = false;
  tip.style.left = `${Math.max(8, Math.min(x + 16, innerWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${Math.max(8, Math.min(y + 16, innerHeight - tip.offsetHeight - 8))}px`;
}

function hide() {
  tip.hidden = true;
  shown = null;
  charts.forEach(({ cursor }) => { cursor.style.visibility = 'hidden'; });
}

function find(row) {
  rows.forEach(each => each.classList.toggle('on', each === row));
  row.hidden = false;
  row.scrollIntoView({ block: 'center', behavior: 'smooth' });
}

for (const { svg, groups } of charts) {
  svg.addEventListener('mousemove', event => {
    const box = svg.getBoundingClientRect();
    const y = (event.clientY - box.top) * svg.viewBox.baseVal.height / box.height;
    const group = groups.find(each => y >= each.top - 1 && y < each.top + each.pitch * each.numbers.length + 1);
    if (!group) return hide();
    const row = Math.max(0, Math.min(Math.floor((y - group.top) / group.pitch), group.numbers.length - 1));
    mark(group.numbers[row]);
    tell(shown, event.clientX, event.clientY);
  });
  svg.addEventListener('mouseleave', hide);
  svg.addEventListener('click', () => { if (shown !== null) find(rows[shown]); });
  svg.addEventListener('blur', hide);
  svg.addEventListener('keydown', event => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter' && shown !== null) find(rows[shown]);
    if (event.key === 'Escape') hide();
    if (!step) return;
    event.preventDefault();
    const order = groups.flatMap(group => group.numbers);
    const next = shown === null ? 0 : Math.max(0, Math.min(order.indexOf(shown) + step, order.length - 1));
    const box = svg.getBoundingClientRect();
    mark(order[next]);
    tell(shown, box.left + 40, Math.max(box.top, 0) + 40);
  });
}

const buttons = [...document.querySelectorAll('.tools button')];
const search = document.querySelector('.tools input');
function choose() {
  const kind = buttons.find(button => button.getAttribute('aria-pressed') === 'true').dataset.kind;
  const text = search.value.toLowerCase();
  rows.forEach(row => {
    row.hidden = (kind && row.className.split(' ')[0] !== kind) || !row.textContent.toLowerCase().includes(text);
  });
}
buttons.forEach(button => button.addEventListener('click', () => {
  buttons.forEach(other => other.setAttribute('aria-pressed', other === button));
  choose();
}));
search.addEventListener('input', choose);

// A click on a heading sorts by it, another one the other way round. The slice of a row is known by its number, not by its place.
const headings = [...document.querySelectorAll('.slices thead th')];
const units = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40, PiB: 2 ** 50 };
function key(text) {
  const match = /^(-?[\d,.]+)(?: (B|[KMGTP]iB))?$/.exec(text.trim());
  return match ? Number(match[1].replaceAll(',', '')) * (units[match[2]] || 1) : text.toLowerCase();
}
headings.forEach((heading, place) => heading.addEventListener('click', () => {
  const down = heading.getAttribute('aria-sort') === 'ascending';
  headings.forEach(other => other.removeAttribute('aria-sort'));
  heading.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const keyed = rows.map(row => [key(row.cells[place].textContent), row]);
  keyed.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0) * (down ? -1 : 1));
  body.append(...keyed.map(([, row]) => row));
}));
