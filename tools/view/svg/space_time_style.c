/* space_time_style.c - how a space-time diagram looks, in the light and in the dark.
 *
 * Plain classes with literal colours: readers of SVG that know no variables and nothing of a dark
 * mode show the light one.
 */
#include "space_time_plot.h"

/* clang-format off */
const char space_time_style[] =
	"<style>\n"
	"svg.st{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}\n"
	".st .paper{fill:#fff}.st .zebra{fill:#f3f5f8}.st .grid{stroke:#dfe4ea;fill:none}\n"
	".st text{fill:#1f2328}.st .title{font-size:18px;font-weight:600}"
	".st .rank{font-weight:600}\n"
	".st .soft{fill:#59636e}.st .small{font-size:10px;fill:#59636e}\n"
	".st .end{text-anchor:end}.st .middle{text-anchor:middle}\n"
	".st .in{font-size:10px;fill:#10151b;pointer-events:none}.st .in.on-dark{fill:#fff}\n"
	".st .wait{fill:#b4bcc6}.st .queue{fill:#d8dde4}.st .hatched{fill:url(#st-hatch)}"
	".st .hatch{stroke:#aab2bd}\n"
	".st .notify{fill:#59636e}.st .adds{fill:#000;fill-opacity:.42;pointer-events:none}\n"
	".st .token{fill:none;stroke:#59636e;stroke-width:.8;stroke-opacity:.45}"
	".st .tip{fill:#59636e;fill-opacity:.6}\n"
	".st .held{fill:none;stroke:#1f2328;stroke-width:1;stroke-dasharray:2 2}\n"
	".st .critical{stroke:#101418}.st .wait.critical{stroke:none}\n"
	".st .token.critical,.st .way{fill:none;stroke:#101418;stroke-width:1.7;stroke-opacity:1;"
	"stroke-linejoin:round}\n"
	".st .outline{fill:none}"
	".st .halo{fill:none;stroke:#fff;stroke-width:3.6;stroke-opacity:.75}\n"
	".st .way.flutter{stroke-opacity:.18}"
	".st .tip.critical{fill:#101418;fill-opacity:1;stroke:none}\n"
	".st .bar.red,.st .notify.red,.st .wait.red,.st .fault{fill:#f7a8a6;stroke:#d1242f}"
	".st .head{fill:#d1242f}\n"
	".st .token.red{stroke:#d1242f;stroke-width:2;stroke-opacity:1}\n"
	"@media (prefers-color-scheme:dark){\n"
	".st .paper{fill:#0d1117}.st .zebra{fill:#161b22}.st .grid{stroke:#272e38}\n"
	".st text{fill:#e6edf3}.st .soft,.st .small{fill:#9198a1}.st .in{fill:#10151b}"
	".st .in.on-dark{fill:#fff}\n"
	".st .wait{fill:#545d68}.st .queue{fill:#3d444d}.st .hatched{fill:url(#st-hatch)}"
	".st .hatch{stroke:#6e7681}\n"
	".st .notify{fill:#9198a1}.st .token{stroke:#9198a1}.st .tip{fill:#9198a1}"
	".st .held{stroke:#e6edf3}\n"
	".st .critical{stroke:#fff}.st .wait.critical{stroke:none}"
	".st .token.critical,.st .way{stroke:#fff}\n"
	".st .halo{stroke:#0d1117}.st .tip.critical{fill:#fff}\n"
	".st .bar.red,.st .notify.red,.st .wait.red,.st .fault{fill:#f7a8a6;stroke:#ff6a69}"
	".st .head{fill:#ff6a69}\n"
	".st .token.red{stroke:#ff6a69}\n"
	"}\n"
	"</style>\n";
/* clang-format on */
