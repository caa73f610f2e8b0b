package cluster

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/ladder"
	"rung/model/words"
	"rung/pages/cluster"
	"rung/revision"
	"rung/ui/view"
	"rung/ui/widget"
)

// policyTally counts a zone's policies by state. It is counted again when the zone or the policies change.
type policyTally struct {
	zone    *model.ZoneState
	counted time.Time

	revision.ZoneTally
}

// zoneFilter selects the zones shown.
type zoneFilter int

const (
	allZones zoneFilter = iota
	differingZones
	lostZones
	faultyZones
	followedZones
	sweptZones
	zoneFilters
)

// zoneFilterNames name the filters.
var zoneFilterNames = [zoneFilters]string{"all", "rows differ", "unreachable", "OVN trouble", "followed", "read in turn"}

// showsZone reports whether a zone is shown.
func (o zoneFilter) showsZone(z *cluster.ZoneFacts) bool {
	switch o {
	case differingZones:
		return z.HasDifferences()
	case lostZones:
		return z.State == model.ConnLost || z.State == model.ConnDenied
	case faultyZones: // as the header counts: for other zones the present state is unknown
		return len(z.Trouble) > 0 && (z.ZoneState.IsCurrent() || z.State == model.ConnSwept)
	case followedZones:
		return z.ZoneState.IsCurrent()
	case sweptZones:
		return z.State == model.ConnSwept && z.Agent == ""
	}
	return true
}

// countZones updates the tallies unless they are fresh, and returns the zones, worst first.
func (v *zonesPage) countZones(r *revision.Revision, now time.Time, fresh bool) (items []*cluster.ZoneFacts) {
	next := make(map[string]*policyTally, len(r.Zones))
	for _, z := range r.Zones {
		t := v.tallies[z.Name]
		// Counts of rows judged as of their read, or not at all, do not change with time.
		lasting := z.Conn != model.ConnSynced && z.Conn != model.ConnReadOnly
		stale := t == nil || t.zone != z || !lasting && !t.counted.Equal(now)
		if t == nil || stale && !fresh {
			t = &policyTally{zone: z, counted: now, ZoneTally: revision.TallyZone(r, z, now)}
		}
		next[z.Name] = t
		told := cluster.FactsOfZone(r, z, &t.ZoneTally, now)
		told.Loss = v.losses[z.Name]
		items = append(items, told)
	}
	v.tallies = next
	slices.SortStableFunc(items, func(a, b *cluster.ZoneFacts) int {
		return cmp.Or(cmp.Compare(a.Rank(), b.Rank()), strings.Compare(a.Name, b.Name))
	})
	return items
}

// addLosses sums the losses of ACLs by zone, once a second.
func (v *zonesPage) addLosses(env *view.Env) {
	l := env.Console.Logs()
	if now := env.Now.Unix(); l == nil || now == v.lossesAt {
		return
	}
	v.lossesAt, v.losses = env.Now.Unix(), map[string]*cluster.LogLoss{}
	for _, x := range l.Losses() {
		if !x.IsLosing() && x.Lost == 0 {
			continue
		}
		z := v.losses[x.Zone]
		if z == nil {
			z = &cluster.LogLoss{Counted: true}
			v.losses[x.Zone] = z
		}
		z.Now, z.Lines, z.Counted = z.Now || x.IsLosing(), z.Lines+x.Lost, z.Counted && x.Counted
	}
}

// troubleLines describes the problems of zones in lines. The selected zone comes first and in full, even if
// that takes more than most lines.
func (v *zonesPage) troubleLines(w, most int) []string {
	var lines []string
	at, texts := v.zones.SelectedID(), make([]string, len(v.items))
	for i, z := range v.items {
		texts[i] = strings.Join(z.ProblemTexts(), " · ")
	}
	for _, only := range []bool{true, false} {
		for i, z := range v.items {
			if texts[i] == "" || (z.Name == at) != only || len(lines) >= most {
				continue
			}
			l := widget.Line{{Text: "  " + words.Failed + " ", Style: v.st.Error}, {Text: z.Name + "  ", Style: v.st.Accent}}
			room := w - l.LineWidth()
			parts := widget.FlowText(texts[i], max(12, room))
			if !only || len(parts) > maxTroubleLines {
				lines = append(lines, l.Add(texts[i], v.st.Text).Render(w))
				continue
			}
			lines = append(lines, l.Add(parts[0], v.st.Text).Render(w))
			most += len(parts) - 1
			for _, part := range parts[1:] {
				lines = append(lines, widget.PlainLine(strings.Repeat(" ", l.LineWidth())+part).Render(w))
			}
		}
	}
	for i, f := range v.zoneFindings {
		if len(lines) >= most || i == foundShown {
			lines = append(lines, widget.StyledLine("  "+words.Warned+" "+words.Thousands(len(v.zoneFindings)-i)+
				" more by comparing the zones: rung zones --check", v.st.Warn).Render(w))
			break
		}
		lines = append(lines, widget.Line{{Text: "  " + words.Warned + " ", Style: v.st.Warn},
			{Text: f.Policy.Label() + "  ", Style: v.st.Accent}, {Text: f.Message}}.Render(w))
	}
	return lines
}

// maxTroubleLines bounds the lines for the selected zone's trouble.
const maxTroubleLines = 3

// foundShown bounds the findings with a line of their own.
const foundShown = 2

// shownUnits returns the policies and units of the lower table: policies in order of precedence, policies of
// which only rows are left, and units without an object that are not in sync in some zone.
func shownUnits(r *revision.Revision, now time.Time) []model.PolicyKey {
	seen := map[model.PolicyKey]bool{}
	var others []model.PolicyKey
	for _, z := range r.Zones {
		for k, p := range z.Policies {
			if !seen[k] && r.Cluster.Policy(k) == nil && (k.Kind.IsPolicy() || r.InZone(k, z.Name) && p.StateAt(z, now) != model.StateInSync) {
				seen[k] = true
				others = append(others, k)
			}
		}
	}
	slices.SortFunc(others, model.Key.Compare)
	return append(ladder.PolicyOrder(r.Cluster), others...)
}
