/**
 * A dashboard of one operation from the public GraphQL API: plain fetch, no framework, no build.
 *
 * Every question is a GET of a document that lies beside this script. A server that trusts the document
 * is asked by its digest (`documentId`), any other by its text. All but the first question are pinned to
 * the snapshot that the first one found, so that their answers agree and browsers may keep them for good.
 */

const address = new URL(location.href);
const server = (address.searchParams.get('server') ?? document.querySelector('meta[name=kgraph-server]').content).replace(/\/+$/, '');
const selects = ['operation', 'hardware', 'protocol', 'cohort'];
const byId = (id) => document.getElementById(id);
const SVG = 'http://www.w3.org/2000/svg';
const COLOURS = 8;

/* ── asking ─────────────────────────────────────────────────────────────────────────────────────── */

/** Refusals of the server, and servers that cannot be reached, in words for the page. */
class AskError extends Error {}

let snapshot = null;
let trusts = true;
const texts = new Map();

async function readDocument(name) {
  if (!texts.has(name)) {
    const text = await (await fetch(`documents/${name}.graphql`)).text();
    // Pages on a plain address other than localhost have no hash function; then the text is sent.
    const hash = globalThis.crypto?.subtle && (await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
    const hex = hash && Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
    texts.set(name, { text, id: hex && `sha256:${hex}` });
  }
  return texts.get(name);
}

async function ask(name, variables = {}) {
  const { text, id } = await readDocument(name);
  const question = trusts && id ? { documentId: id } : { query: text };
  const parameters = new URLSearchParams({ ...question, variables: JSON.stringify(variables) });
  if (snapshot) parameters.set('snapshot', snapshot);
  let answer;
  try {
    const response = await fetch(`${server}/graphql?${parameters}`, { headers: { accept: 'application/json' } });
    answer = await response.json();
  } catch {
    throw new AskError(`${server} gives this page no answer. Is it running, and does KGRAPH_CORS_ORIGINS name ${location.origin}?`);
  }
  const [error] = answer.errors ?? [];
  if (error?.extensions?.code === 'PERSISTED_DOCUMENT_NOT_FOUND') {
    trusts = false;
    return ask(name, variables);
  }
  if (error) throw new AskError(error.message);
  return answer.data;
}

/* ── making elements: text is only ever set as text ─────────────────────────────────────────────── */

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'style') for (const [key, item] of Object.entries(value)) element.style.setProperty(key, item);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}
const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const draw = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

const pageOf = (kind, name) => `${server}/${kind}/${encodeURIComponent(name)}`;
const times = (ratio) => (ratio === null || ratio === undefined ? '–' : `${ratio.toFixed(2)}×`);
const day = (instant) => instant.slice(0, 10);

/** A duration as people read it: three digits, a unit. */
function duration(ns) {
  if (!ns) return '0';
  const units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
  const [size, unit] = units.find(([least]) => ns >= least) ?? units.at(-1);
  return `${Number((ns / size).toPrecision(3))} ${unit}`;
}

/* ── what is chosen ─────────────────────────────────────────────────────────────────────────────── */

const chosen = Object.fromEntries(selects.map((name) => [name, address.searchParams.get(name)]));
let current = null;
let turn = 0;

/** Fill a select; what was chosen stays where it is still there, else the first is. */
function offer(name, options) {
  const groups = Map.groupBy ? Map.groupBy(options, (each) => each.group ?? '') : new Map([['', options]]);
  const nodes = [...groups].map(([label, some]) => {
    const made = some.map(({ value, text }) => make('option', { value }, text));
    return label ? make('optgroup', { label }, made) : made;
  });
  byId(name).replaceChildren(...nodes.flat());
  if (!options.some(({ value }) => value === chosen[name])) chosen[name] = options[0]?.value ?? null;
  byId(name).value = chosen[name];
}

function unique(items, key) {
  return [...new Map(items.map((item) => [key(item), item])).values()];
}

const inOrder = new Intl.Collator('en', { numeric: true });

function remember() {
  for (const name of selects) chosen[name] ? address.searchParams.set(name, chosen[name]) : address.searchParams.delete(name);
  history.replaceState(null, '', address);
}

async function start() {
  await working(async () => {
    const { catalog, operations } = await ask('start');
    snapshot = catalog.snapshot;
    chosen.operation ??= 'liger-megatron-swiglu';
    const measured = operations.nodes.filter((each) => each.eligibleRunCount);
    offer('operation', measured.map(({ slug, title, family }) => ({ value: slug, text: title, group: family.name })));
    byId('foot').replaceChildren(...describeCatalog(catalog));
    if (!chosen.operation) throw new AskError('The catalogue holds no eligible run yet.');
    await showOperation();
  });
}

async function showOperation() {
  const data = await ask('operation', { slug: chosen.operation });
  if (!data.operation) throw new AskError(`There is no operation ${chosen.operation}.`);
  current = { ...data.operation, cohorts: data.cohorts.nodes };
  const products = unique(current.cohorts, (each) => each.hardware.product).map(({ hardware }) => hardware.product);
  offer('hardware', products.sort(inOrder.compare).map((value) => ({ value, text: value })));
  await showHardware();
}

async function showHardware() {
  const here = current.cohorts.filter((each) => each.hardware.product === chosen.hardware);
  const protocols = unique(here, (each) => each.protocol.digest).map(({ protocol }) => ({ value: protocol.digest, text: protocol.title }));
  offer('protocol', protocols.sort((a, b) => inOrder.compare(a.text, b.text)));
  await showProtocol();
}

async function showProtocol() {
  const workloads = beside().map((each) => {
    const many = beside().filter((other) => other.workload.digest === each.workload.digest).length > 1;
    return { value: each.key, text: many ? `${each.workload.label} · ${each.environment.title}` : each.workload.label };
  });
  offer('cohort', workloads.sort((a, b) => inOrder.compare(a.text, b.text)));
  await showWorkload();
}

/** Cohorts of the chosen hardware and protocol. */
const beside = () => current.cohorts.filter((each) => each.hardware.product === chosen.hardware && each.protocol.digest === chosen.protocol);

async function showWorkload() {
  const asked = ++turn;
  const { cohort } = await ask('cohort', { key: chosen.cohort });
  // Somebody has chosen something else meanwhile.
  if (asked !== turn) return;
  remember();
  show(cohort);
}

/** Run a step, with its waiting and its failure shown. */
async function working(step) {
  const main = byId('main');
  main.setAttribute('aria-busy', 'true');
  try {
    await step();
  } catch (error) {
    if (!(error instanceof AskError)) throw error;
    main.replaceChildren(make('p', { class: 'message bad', role: 'alert' }, error.message));
  } finally {
    main.setAttribute('aria-busy', 'false');
  }
}

const steps = { operation: showOperation, hardware: showHardware, protocol: showProtocol, cohort: showWorkload };
for (const name of selects) {
  byId(name).addEventListener('change', (event) => {
    chosen[name] = event.target.value;
    working(steps[name]);
  });
}
document.querySelector('form').addEventListener('submit', (event) => event.preventDefault());

/* ── what is shown ──────────────────────────────────────────────────────────────────────────────── */

function show(cohort) {
  const place = current.cohorts.find((each) => each.key === cohort.key);
  document.title = `${current.title} on ${place.hardware.product} · kgraph`;
  byId('title').textContent = current.title;
  byId('lead').textContent = `${place.workload.label} · ${place.environment.title}`;
  byId('sources').textContent = current.sources.map(({ name, license }) => `${name} (${license ?? 'no licence stated'})`).join(', ');
  byId('status').textContent = `${current.title}, ${place.workload.label}: ${cohort.record?.display ?? 'no record'}`;
  byId('main').replaceChildren(
    showTiles(cohort),
    make('div', { class: 'cards' }, showRanking(cohort), showHistory(cohort), showScaling(cohort), showHeadroom(cohort), showWidget(cohort)),
  );
  measure();
}

function tile(name, figure, ...notes) {
  return make('div', { class: 'tile' }, make('dt', {}, name), make('dd', { class: 'figure' }, figure), notes.filter(Boolean).map((note) => make('dd', { class: 'note' }, note)));
}

function showTiles({ record, headroom, ranking }) {
  const leader = record?.run;
  const link = leader && make('a', { href: pageOf('r', leader.digest) }, leader.implementation.title);
  const baseline = ranking.nodes.find((row) => row.isBaseline)?.run.implementation.title;
  const levels = unique(ranking.nodes, (row) => row.evidence.level).map((row) => row.evidence.level.toLowerCase());
  return make(
    'dl',
    { class: 'tiles' },
    tile('Record', record?.display ?? '–', link, leader && `observed ${day(leader.observedAt)}`),
    tile(
      'Above the floor',
      times(headroom?.recordRatio),
      headroom?.display ? `floor ${headroom.display}, set by ${headroom.bound.toLowerCase()}; an estimate` : (headroom?.reason ?? 'no estimate for this workload'),
    ),
    tile('Over the baseline', times(record?.speedupOverBaseline), baseline ? `which is ${baseline}` : 'none was measured here'),
    tile('Ranked runs', String(ranking.totalCount), `evidence: ${levels.join(', ')}`),
  );
}

function showRanking({ ranking, metric, policy }) {
  const worst = Math.max(...ranking.nodes.map((row) => row.ratioToLeader));
  const head = ['#', 'Implementation', metric.name === 'latency' ? 'Time' : metric.name, '', 'To leader', 'Over baseline', 'Licence', 'Observed'];
  const rows = ranking.nodes.map((row) => {
    const { implementation } = row.run;
    return make(
      'tr',
      {},
      make('td', {}, row.tied ? `${row.rank}=` : String(row.rank)),
      make(
        'th',
        { scope: 'row' },
        make('a', { href: pageOf('r', row.run.digest) }, implementation.title),
        make('span', { class: 'chip' }, implementation.language),
        row.isBaseline && make('span', { class: 'chip' }, 'baseline'),
        row.stale && make('span', { class: 'chip' }, 'stale'),
      ),
      make('td', { class: 'number' }, row.display),
      make('td', { 'aria-hidden': true }, make('span', { class: 'bar', style: { '--share': `${(100 * row.ratioToLeader) / worst}%` } })),
      make('td', { class: 'number' }, times(row.ratioToLeader)),
      make('td', { class: 'number' }, times(row.speedupOverBaseline)),
      make('td', { class: 'whole' }, implementation.license.concluded ?? 'unknown'),
      make('td', { class: 'number' }, day(row.run.observedAt)),
    );
  });
  const more = ranking.totalCount > rows.length && `the first ${rows.length} of ${ranking.totalCount}; `;
  return card('wide', 'Ranking', [more || '', `equal runs share a rank (${policy})`], tableOf(head, rows, [2, 4, 5, 7], 'Ranked runs'));
}

function card(width, title, notes, ...content) {
  const id = `card-${title.toLowerCase().replace(/\W+/g, '-')}`;
  return make('section', { class: `card ${width}`, 'aria-labelledby': id }, make('h2', { id }, title), make('p', {}, notes), content);
}

function tableOf(head, rows, numbers = [], label = null) {
  const cells = head.map((name, column) => (name ? make('th', { scope: 'col', class: numbers.includes(column) && 'number' }, name) : make('td', { 'aria-hidden': true })));
  // A region that scrolls must be reachable by keyboard.
  return make('div', { class: 'scroll', tabindex: 0, role: label && 'region', 'aria-label': label }, make('table', {}, make('thead', {}, make('tr', {}, cells)), make('tbody', {}, rows)));
}

function showHistory({ history, record, metric }) {
  const events = history.nodes.filter((event) => event.value !== null);
  if (!events.length || !record) return card('narrow', 'Record history', 'Nothing was ever eligible here.');
  const points = events.map((event) => ({ x: Date.parse(event.at), y: event.value, title: `${day(event.at)}: ${format(metric)(event.value)} by ${event.run?.implementation.title ?? 'unknown'}` }));
  // The record stands until something beats it; the line goes on to the time of the snapshot.
  const end = Math.max(published, points.at(-1).x);
  const span = Math.max(end - points[0].x, 864e5);
  const plot = chart('Record history', {
    x: { from: points[0].x - span * 0.04, to: end + span * 0.02, ticks: dates(points[0].x, end), text: (value) => new Date(value).toISOString().slice(0, 10) },
    y: { from: 0, to: Math.max(...points.map((point) => point.y)) * 1.12, text: format(metric) },
    series: [{ name: 'Record', points: [...points, { x: end, y: points.at(-1).y }], steps: true }],
  });
  const rows = events.map((event) =>
    make(
      'tr',
      {},
      make('td', { class: 'whole' }, day(event.at)),
      make('th', { scope: 'row' }, event.run?.implementation.title ?? '–'),
      make('td', { class: 'number' }, format(metric)(event.value)),
      make('td', { class: 'number' }, event.improvementPercent === null ? '–' : `${event.improvementPercent.toFixed(1)} %`),
    ),
  );
  const changes = events.length === 1 ? 'never beaten since it was set' : `${events.length} records`;
  return card('narrow', 'Record history', changes, plot, values(tableOf(['At', 'By', 'Record', 'Better by'], rows, [2, 3], 'Values of the record history')));
}

function showScaling({ key, metric }) {
  const sweep = current.sweeps.find(({ series }) => series.some(({ points }) => points.some(({ run }) => run.cohort.key === key)));
  if (!sweep) return card('wide', 'Scaling', 'No other size was measured with everything else equal.');
  const held = sweep.heldAxes.map(({ name, value }) => `${name} = ${value}`).join(' · ');
  const series = sweep.series.map(({ implementation, points }) => ({
    name: implementation.title,
    points: points.map((point) => ({ x: point.axisValue, y: point.value, title: `${implementation.title}, ${sweep.axis} = ${point.axisValue}: ${point.display}`, strong: point.run.cohort.key === key })),
  }));
  const floor = sweep.leaders.flatMap(({ axisValue, run }) => (run.cohort.headroom?.floorNs ? [{ x: axisValue, y: run.cohort.headroom.floorNs, display: run.cohort.headroom.display }] : []));
  const sizes = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  const all = [...series.flatMap(({ points }) => points), ...floor].map(({ y }) => y);
  const plot = chart(`Scaling along ${sweep.axis}`, {
    x: { from: sizes[0] / 1.15, to: sizes.at(-1) * 1.15, log: true, ticks: sizes, text: String, label: sweep.axis },
    y: { from: Math.min(...all) / 1.4, to: Math.max(...all) * 1.4, log: true, text: format(metric) },
    series,
    floor,
  });
  const head = [sweep.axis, ...series.map(({ name }) => name), 'Floor (estimate)'];
  const rows = sizes.map((size) =>
    make(
      'tr',
      {},
      make('th', { scope: 'row' }, String(size)),
      series.map(({ points }) => make('td', { class: 'number' }, points.some(({ x }) => x === size) ? format(metric)(points.find(({ x }) => x === size).y) : '–')),
      make('td', { class: 'number' }, floor.find(({ x }) => x === size)?.display ?? '–'),
    ),
  );
  const turns = sweep.crossovers.map(({ below, above, leadersAbove }) => `to ${leadersAbove.map(({ title }) => title).join(' and ')} between ${below} and ${above}`);
  const notes = [held && `${held}; `, 'both axes logarithmic.', turns.length > 0 && ` The lead passes ${turns.join(', ')}.`];
  return card('wide', `Scaling along ${sweep.axis}`, notes.filter(Boolean), plot, values(tableOf(head, rows, head.map((_, column) => column).slice(1), 'Values of the scaling plot')));
}

function showHeadroom({ headroom: estimate }) {
  const rows = beside().filter(({ headroom, record }) => headroom?.recordRatio && record);
  if (!rows.length) return card('narrow', 'Headroom', 'There is no estimate of the floor for these workloads.');
  const worst = Math.max(...rows.map(({ headroom }) => Math.log(headroom.recordRatio)), Math.log(1.1));
  const items = rows
    .sort((a, b) => b.headroom.recordRatio - a.headroom.recordRatio)
    .map(({ key, workload, headroom, record }) =>
      make(
        'li',
        {},
        make(
          'button',
          {
            type: 'button',
            'aria-pressed': String(key === chosen.cohort),
            style: { '--share': `${Math.max(0, (100 * Math.log(headroom.recordRatio)) / worst)}%` },
            onclick: async () => {
              chosen.cohort = byId('cohort').value = key;
              await working(showWorkload);
              // The list was made anew: whoever uses the keyboard stays where they were.
              document.querySelector('.rows [aria-pressed=true]')?.focus();
            },
          },
          make('span', {}, workload.label),
          make('span', { class: 'number', title: `record ${record.display}, floor ${headroom.display}` }, times(headroom.recordRatio)),
        ),
      ),
    );
  return card('narrow', 'Headroom', 'Each record against the floor that the hardware’s datasheet sets, an estimate. Choose a workload to see it.', make('ul', { class: 'rows' }, items), explain(estimate));
}

function explain(estimate) {
  if (!estimate) return null;
  const { assumptions, caveat, hardwareSource } = estimate;
  return make(
    'details',
    {},
    make('summary', {}, 'How the floor is estimated'),
    make('ul', {}, assumptions.map((text) => make('li', {}, text)), caveat && make('li', {}, caveat)),
    hardwareSource && make('p', {}, 'Datasheet: ', make('a', { href: hardwareSource.url }, hardwareSource.title)),
  );
}

/** The same comparison as a widget of the server's, which any page may hold: shown, and as text to copy. */
function showWidget({ key }) {
  const source = `${server}/widgets/kgraph.js`;
  const markup = [`<script type="module" src="${source}"></script>`, `<kgraph-record cohort="${key}"></kgraph-record>`];
  if (!document.querySelector('script[data-widgets]')) document.head.append(make('script', { type: 'module', src: source, 'data-widgets': true }));
  return card(
    'pair',
    'On your own page',
    'Two lines of HTML put this record into any page. There are elements for ranking, history, scaling and headroom too.',
    make('kgraph-record', { cohort: key, server, snapshot }),
    make('pre', {}, make('code', {}, markup.join('\n'))),
  );
}

const values = (table) => make('details', {}, make('summary', {}, 'Values as a table'), table);
const format = (metric) => (metric.unit === 'ns' ? duration : (value) => `${Number(value.toPrecision(4))}${metric.unit ? ` ${metric.unit}` : ''}`);

let published = 0;

function describeCatalog({ snapshot: name, publishedAt, counts }) {
  published = Date.parse(publishedAt);
  const pinned = make('a', { href: `${server}/?snapshot=${encodeURIComponent(name)}` }, name.slice(0, 19));
  return [
    make('p', {}, `${counts.runs.toLocaleString('en')} runs of ${counts.operations} operations on ${counts.hardware} devices. Snapshot `, pinned, `…, published ${day(publishedAt)}.`),
    make('p', {}, 'Runs of this operation: ', make('span', { id: 'sources' }), '. Times are as their sources report them; what is known of each run is on its page at ', make('a', { href: server }, server), '.'),
  ];
}

/* ── charts ─────────────────────────────────────────────────────────────────────────────────────── */

const charts = new Map();

/** A place for a chart, which is drawn to fit once it is in the page, and again when its width changes. */
function chart(title, plan) {
  const place = make('div', { class: 'plot' });
  charts.set(place, { title, plan });
  return plan.series.length > 1 || plan.floor?.length ? make('div', {}, place, legend(plan)) : place;
}

const watcher = new ResizeObserver((entries) => entries.forEach(({ target }) => redraw(target)));

function measure() {
  for (const place of charts.keys()) {
    if (place.isConnected) watcher.observe(place);
    else charts.delete(place);
  }
}

function legend({ series, floor }) {
  const sample = (attributes) => draw('svg', { width: 22, height: 12, 'aria-hidden': true }, draw('line', { x1: 0, x2: 22, y1: 6, y2: 6, ...attributes }));
  return make(
    'ul',
    { class: 'legend' },
    series.map(({ name }, place) => make('li', {}, sample({ style: { stroke: colour(place) }, 'stroke-width': 3 }), name)),
    floor?.length > 0 && make('li', {}, sample({ class: 'floor' }), 'Floor (estimate)'),
  );
}

const colour = (place) => `var(--s${place % COLOURS})`;

function dates(from, to) {
  return to - from < 2 * 864e5 ? [from] : [from, (from + to) / 2, to];
}

/** Round numbers in a range: decades and their parts where the scale is logarithmic. */
function ticks({ from, to, log }) {
  if (log) {
    const found = [];
    for (let decade = 10 ** Math.floor(Math.log10(from)); decade <= to; decade *= 10) for (const part of [1, 2, 5]) found.push(decade * part);
    const inside = found.filter((value) => value >= from && value <= to);
    const decades = inside.filter((value) => Math.abs(Math.log10(value) % 1) < 1e-9);
    return decades.length > 3 ? decades : inside;
  }
  const rough = (to - from) / 4;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((part) => part * size).find((each) => each >= rough);
  return Array.from({ length: Math.floor(to / step) + 1 }, (_, place) => place * step).filter((value) => value >= from);
}

function redraw(place) {
  const { title, plan } = charts.get(place) ?? {};
  const width = place.clientWidth;
  if (!plan || !width || place.dataset.width === String(width)) return;
  place.dataset.width = width;
  const edge = { left: 62, right: 16, top: 10, bottom: plan.x.label ? 44 : 26 };
  const height = Math.round(Math.min(380, Math.max(230, width * 0.45)));
  const scale = ({ from, to, log }, start, end) => (value) => {
    const [low, high, at] = log ? [from, to, value].map(Math.log) : [from, to, value];
    return start + ((at - low) / (high - low)) * (end - start);
  };
  const x = scale(plan.x, edge.left, width - edge.right);
  const y = scale(plan.y, height - edge.bottom, edge.top);
  const point = (each) => `${x(each.x).toFixed(1)},${y(each.y).toFixed(1)}`;
  const steps = (points) => points.map((each, at) => (at ? `H${x(each.x).toFixed(1)}V${y(each.y).toFixed(1)}` : `M${point(each)}`)).join('');
  const line = (points) => `M${points.map(point).join('L')}`;
  // As many labels as there is room for, the first and the last always.
  const room = Math.max(2, Math.floor((width - edge.left) / 84));
  const every = Math.ceil(plan.x.ticks.length / room);
  const labelled = plan.x.ticks.filter((_, at) => (plan.x.ticks.length - 1 - at) % every === 0);
  const id = `plot-${title.toLowerCase().replace(/\W+/g, '-')}`;
  place.replaceChildren(
    draw(
      'svg',
      { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-labelledby': id },
      draw('title', { id }, `${title}; the values are in the table below`),
      ticks(plan.y).map((value) => [
        draw('line', { class: 'grid', x1: edge.left, x2: width - edge.right, y1: y(value), y2: y(value) }),
        draw('text', { x: edge.left - 8, y: y(value) + 4, 'text-anchor': 'end' }, plan.y.text(value)),
      ]),
      labelled.map((value, at) => [
        plan.x.log && draw('line', { class: 'grid', x1: x(value), x2: x(value), y1: edge.top, y2: height - edge.bottom }),
        draw('text', { x: x(value), y: height - edge.bottom + 18, 'text-anchor': at === labelled.length - 1 ? 'end' : at || labelled.length === 1 ? 'middle' : 'start' }, plan.x.text(value)),
      ]),
      plan.x.label && draw('text', { x: (edge.left + width - edge.right) / 2, y: height - 6, 'text-anchor': 'middle' }, plan.x.label),
      plan.floor?.length > 0 && draw('path', { class: 'floor', d: line(plan.floor) }),
      plan.series.map(({ points, steps: isStep }, at) => [
        draw('path', { class: 'line', style: { stroke: colour(at) }, d: isStep ? steps(points) : line(points) }),
        points.filter((each) => each.title).map((each) => draw('circle', { cx: x(each.x), cy: y(each.y), r: each.strong ? 6 : 4.5, style: { fill: colour(at) } }, draw('title', {}, each.title))),
      ]),
    ),
  );
}

start();
