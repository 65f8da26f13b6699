// SPDX-License-Identifier: Apache-2.0
// What report.py's page does in a browser: a time slider for the maps of the surface, and traces that tell their values under the pointer. Data are in
// <script type="application/json"> elements, numbers as base64 of little-endian arrays; drawn by Plotly, which the page carries. Without JavaScript, or
// where anything here fails, the still pictures stay.
"use strict";

function numbers(packed) {
  const bytes = Uint8Array.from(atob(packed.base64), c => c.charCodeAt(0));
  return new {i2: Int16Array, f4: Float32Array}[packed.type](bytes.buffer);
}

const PLAIN = {displaylogo: false, responsive: true, modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"]};
const FONT = {family: 'system-ui, "Segoe UI", "DejaVu Sans", sans-serif', size: 12, color: "#1f2937"};

function surface(live, data) {
  const values = numbers(data.heights), nx = data.x.length, ny = data.y.length;
  const rows = n => Array.from({length: ny}, (_, j) => Float32Array.from(values.subarray((n * ny + j) * nx, (n * ny + j + 1) * nx), v => v * data.unit));
  const map = {type: "heatmap", x: data.x, y: data.y, z: rows(0), zmin: -data.limit, zmax: data.limit, zsmooth: "best", colorscale: data.colors,
               colorbar: {title: {text: "m", side: "top"}, thickness: 14, outlinewidth: 0},
               hovertemplate: "x %{x:.1f} km, y %{y:.1f} km: %{z:.3f} m<extra></extra>"};
  const depth = {type: "contour", x: data.x, y: data.y, z: data.depth, showscale: false, showlegend: false, hoverinfo: "skip", line: {color: "#4b5563", width: 0.7},
                 contours: {coloring: "none", showlabels: true, labelfont: {size: 9, color: "#4b5563"}}, ncontours: 7};
  const places = data.sensors.map(s => ({type: "scatter", mode: "markers", name: s.kind, x: s.x, y: s.y, text: s.names,
                                        hovertemplate: "%{text}<extra>" + s.kind + "</extra>",
                                        marker: {color: s.color, symbol: s.symbol, size: 8, line: {color: "white", width: 1}}}));
  const width = live.clientWidth - 130, height = Math.min(760, Math.max(260, width * (data.y[ny - 1] - data.y[0]) / (data.x[nx - 1] - data.x[0]))) + 90;
  const layout = {font: FONT, height, margin: {l: 55, r: 10, t: 10, b: 70}, xaxis: {title: {text: "x [km]"}, constrain: "domain"},
                  yaxis: {title: {text: "y [km]"}, scaleanchor: "x", constrain: "domain"}, legend: {orientation: "h", y: -0.16}};
  const [plot, bar] = [live.querySelector(".plot"), live.querySelector("input")], [label, button] = [live.querySelector("output"), live.querySelector("button")];
  bar.max = data.times.length - 1;
  const show = n => {
    bar.value = n;
    label.textContent = data.times[n];
    Plotly.restyle(plot, {z: [rows(n)]}, [0]);
  };
  let playing = null;
  const stop = () => { clearInterval(playing); playing = null; button.textContent = "play"; };
  bar.addEventListener("input", () => { stop(); show(+bar.value); });
  button.addEventListener("click", () => {
    if (playing) return stop();
    button.textContent = "stop";
    playing = setInterval(() => show((+bar.value + 1) % data.times.length), 150);
  });
  Plotly.newPlot(plot, [map, depth, ...places], layout, PLAIN).then(() => show(data.first));
}

function traces(live, data) {
  const time = numbers(data.time);
  data.panels.forEach(panel => {
    const plot = live.appendChild(document.createElement("div")), values = numbers(panel.values), count = panel.names.length, long = values.length / count;
    const lines = panel.names.map((name, n) => {
      const own = values.subarray(n * long, (n + 1) * long);
      return {type: "scatter", mode: "lines", name, x: time.subarray(0, long), y: own.map(v => panel.rows[n] - panel.unit * v),
              customdata: own, line: {color: panel.colors[n], width: 1.2}, showlegend: false,
              hovertemplate: "<b>" + name + "</b> %{x:.2f} s: %{customdata:.4g} " + panel.quantity + "<extra></extra>"};
    });
    const layout = {font: FONT, title: {text: panel.title, x: 0, font: {size: 13}}, height: 110 + panel.height,
                    margin: {l: panel.left, r: 15, t: 40, b: 40}, hovermode: "closest",
                    xaxis: {title: {text: "time since the start [s]"}, zeroline: false, showspikes: true, spikemode: "across", spikethickness: 1,
                            spikecolor: "#6b7280"},
                    yaxis: {range: panel.range, tickvals: panel.rows, ticktext: panel.labels, zeroline: false, showgrid: true}};
    Plotly.newPlot(plot, lines, layout, PLAIN);
  });
}

for (const data of document.querySelectorAll("script[type='application/json'][data-live]")) {
  const live = document.getElementById(data.dataset.live);
  live.hidden = false;
  try {
    ({surface, traces})[data.dataset.live](live, JSON.parse(data.textContent));
    live.parentElement.querySelectorAll(".still").forEach(still => { still.hidden = true; });
  } catch (error) {
    live.hidden = true;
    console.error(error);
  }
}
