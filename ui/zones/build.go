package zones

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/ladder"
	"rung/revision"
	"rung/ui/widget"
)

// troubles are the lines below the zones that say what is wrong, the zone under
// the cursor first, and in full: in so many lines that takes more than most.
func (v *pane) troubles(w, most int) []string {
	var lines []string
	at, texts := v.zones.SelectedID(), make([]string, len(v.items))
	for i, z := range v.items {
		texts[i] = strings.Join(z.Wrong(), " · ")
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
