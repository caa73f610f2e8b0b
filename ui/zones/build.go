package zones

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/ladder"
	"rung/model/words"
	"rung/revision"
	"rung/revision/finding"
	"rung/ui/widget"
)

// inSync counts the policies of a zone that are in sync, of those that can be.
func (v *zones) inSync(z *item) widget.Line {
	style := v.st.Warn
	if z.InSync == z.ZoneTally.Policies {
		style = v.st.OK
	}
	return widget.Styled(z.Short(), style)
}

// rowCount is how many rows were read last.
func rowCount(z *item) string {
	if z.SyncedAt.IsZero() {
		return "–"
	}
	return words.Thousands(z.RowCount())
}

// trouble is what is wrong with a zone in a few words.
func trouble(z *model.ZoneState, below []string) string {
	var parts []string
	if z.Paused != "" {
		parts = append(parts, "writing paused: "+z.Paused)
	}
	if n := len(z.Disowned); n > 0 {
		d := &z.Disowned[0]
		parts = append(parts, words.Total(n, "row")+" of Rung's lost the owner ids: "+d.Table+" "+d.UUID+" was of "+d.Was.Label())
	}
	if z.Error != "" {
		parts = append(parts, z.Error)
	}
	if z.Attempts > 1 {
		parts = append(parts, fmt.Sprintf("%d attempts", z.Attempts))
	}
	return strings.Join(append(parts, below...), " · ")
}

// marks are the numbers of rows written, flows made and nodes done.
func (it *item) marks() string {
	if p := it.below; p.Known && p.Tracked() {
		return fmt.Sprintf("%d/%d/%d", p.Progress.Written.Cfg, p.Progress.Made.Cfg, p.Progress.Done.Cfg)
	}
	return "–"
}

// troubles are the lines below the zones that say what is wrong, the zone under
// the cursor first, and in full: in so many lines that takes more than most.
func (v *zones) troubles(w, most int) []string {
	var lines []string
	at, texts := v.zones.SelectedID(), make([]string, len(v.items))
	for i, z := range v.items {
		texts[i] = trouble(z.ZoneState, z.wrong)
	}
	for _, only := range []bool{true, false} {
		for i, z := range v.items {
			if texts[i] == "" || (z.Name == at) != only || len(lines) >= most {
				continue
			}
			l := widget.Line{{Text: "  ● ", Style: v.st.Error}, {Text: z.Name + "  ", Style: v.st.Accent}}
			room := w - l.Width()
			parts := widget.Flow(texts[i], max(12, room))
			if !only || len(parts) > mostTrouble {
				lines = append(lines, l.Add(texts[i], v.st.Text).Render(w))
				continue
			}
			lines = append(lines, l.Add(parts[0], v.st.Text).Render(w))
			most += len(parts) - 1
			for _, part := range parts[1:] {
				lines = append(lines, widget.Plain(strings.Repeat(" ", l.Width())+part).Render(w))
			}
		}
	}
	for i, f := range v.found {
		if len(lines) >= most || i == foundShown {
			lines = append(lines, widget.Styled(fmt.Sprintf("  ▲ %d more by comparing the zones: rung zones --check", len(v.found)-i), v.st.Warn).Render(w))
			break
		}
		lines = append(lines, widget.Line{{Text: "  ▲ ", Style: v.st.Warn}, {Text: f.Policy.Label() + "  ", Style: v.st.Accent}, {Text: f.Message}}.Render(w))
	}
	return lines
}

// mostTrouble is how many lines the trouble of the zone under the cursor may take.
const mostTrouble = 3

// foundShown is how many findings have a line of their own.
const foundShown = 2

// compare takes what comparing the zones finds, but for what is only settling.
func (v *zones) compare(r *revision.Revision) {
	v.found = finding.StandingZoneFindings(r, v.now)
}

// shown are what the lower table lists: the policies as they decide, what only
// rows are left of, and of the units that are no objects those that are not in
// sync in some zone.
func shown(r *revision.Revision, now time.Time) []model.PolicyKey {
	seen := map[model.PolicyKey]bool{}
	var others []model.PolicyKey
	for _, z := range r.Zones {
		for k, p := range z.Policies {
			if !seen[k] && r.Cluster.Policy(k) == nil && (k.Kind.IsPolicy() || r.InZone(k, z.Name) && p.State(z, now) != model.StateInSync) {
				seen[k] = true
				others = append(others, k)
			}
		}
	}
	slices.SortFunc(others, model.Key.Compare)
	return append(ladder.Order(r.Cluster), others...)
}
