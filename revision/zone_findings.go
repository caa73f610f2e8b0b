package revision

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/ovn/dialect"
	"rung/model/ovn/nb"
	"rung/model/words"
)

// Codes of the findings from comparing zones.
const (
	FindZoneLags    = "zone-lags"        // rows differ from desired for longer than a controller needs
	findKnown       = "known-defect"     // the same, and OVN-Kubernetes never repairs it
	findZoneDiffers = "zone-differs"     // rows differ from those of the other zones
	findPortUnion   = "port-group-union" // the port groups of all zones together do not equal the subject
)

// Limits of ZoneFindings: findings in all, and rows or names in one finding.
const (
	zoneFindings = 200
	namedRows    = 3
)

type zoneFinding struct {
	model.Finding
	since time.Time
	zone  string
}

// zoneWarning returns a warning about a policy in a zone since a time. Unknown arguments may be empty.
func zoneWarning(code, zone string, k model.PolicyKey, since time.Time, text, remedy string) zoneFinding {
	f := model.Finding{Code: code, Severity: model.SeverityWarning, Policy: k, Rule: -1, Zone: zone, Message: text, Remedy: remedy}
	return zoneFinding{Finding: f, since: since, zone: zone}
}

// ZoneFindings compares the zones at a time, oldest deviation first. It joins rows by k8s.ovn.org/id, and
// compares them with desired rows if known. Otherwise it compares digests with the rows of most zones: for
// rows in another form, of a policy without desired rows, or in address sets that another program keeps. A
// settling deviation is only information. Rows read before the last change yield no finding.
func ZoneFindings(r *Revision, now time.Time) []model.Finding {
	return collectZoneFindings(r, now, KnownCauses)
}

// SettledZoneFindings returns the findings of ZoneFindings without settling ones, with the causes of CachedCauses,
// which computes none.
func SettledZoneFindings(r *Revision, now time.Time) []model.Finding {
	return slices.DeleteFunc(collectZoneFindings(r, now, CachedCauses), func(f model.Finding) bool { return f.Severity == model.SeverityInfo })
}

// causeExplainer is KnownCauses or CachedCauses.
type causeExplainer func(*Revision, *model.ZoneState, *model.PolicyInZone) []*dialect.DiffCause

func collectZoneFindings(r *Revision, now time.Time, explain causeExplainer) []model.Finding {
	var all []zoneFinding
	for _, z := range r.Zones {
		for k, p := range z.Policies {
			if k != p.Policy { // a network's unit, also listed under its object
				continue
			}
			switch p.StateAt(z, now) {
			case model.StateBehind:
				all = append(all, behindFindings(r, z, p, now, explain)...)
				all = append(all, misplacedPorts(r, z, k, p)...)
			case model.StateSettling:
				if DifferingRows(p) > 0 {
					for _, f := range behindFindings(r, z, p, now, explain) {
						f.Severity, f.Remedy = model.SeverityInfo, "it just happened: wait a few seconds"
						all = append(all, f)
					}
				}
			}
		}
	}
	all = append(all, deviatingUnits(r.Zones, now)...)
	all = append(all, podsWithoutZone(r)...)
	all = append(all, dialectFindings(r)...)
	all = append(all, traceDisagreements(r)...)
	slices.SortFunc(all, func(a, b zoneFinding) int {
		return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.zone, b.zone), a.Policy.Compare(b.Policy), cmp.Compare(a.Message, b.Message))
	})
	left := len(all) - zoneFindings
	out := make([]model.Finding, 0, min(len(all), zoneFindings+1))
	for i := range all[:min(len(all), zoneFindings)] {
		out = append(out, all[i].Finding)
	}
	if left > 0 {
		more := fmt.Sprintf("%s more deviations of zones are not listed", words.Thousands(left))
		out = append(out, zoneWarning(FindZoneLags, "", model.PolicyKey{}, time.Time{}, more, "").Finding)
	}
	return out
}

// behindFindings lists what differs in a zone, and for how long: first one finding for each known cause, then
// the rest.
func behindFindings(r *Revision, z *model.ZoneState, p *model.PolicyInZone, now time.Time, explain causeExplainer) (out []zoneFinding) {
	add := func(code, text, remedy string) {
		out = append(out, zoneWarning(code, z.Name, p.Policy, p.DiffSince, text, remedy))
	}
	left := DifferingRows(p)
	var causes []*dialect.DiffCause
	if p.StateAt(z, now) == model.StateBehind {
		causes = explain(r, z, p)
	}
	rows := map[dialect.DiffCause][]int{}
	var rest []int
	for i := range p.Diffs {
		d := &p.Diffs[i]
		switch {
		case causes != nil && causes[i] != nil:
			rows[*causes[i]] = append(rows[*causes[i]], i)
		case d.Waiting == "" || d.Kind != model.DiffDifferent:
			rest = append(rest, i)
		}
	}
	for _, cause := range distinctCauses(causes) {
		left -= len(rows[*cause])
		add(findKnown, differsIn(z, p, now, rows[*cause], 0)+": "+cause.Text(), cause.Remedy)
	}
	if left > 0 || causes == nil {
		text := differsIn(z, p, now, rest, left)
		if p.Error != "" {
			text += ": " + p.Error
		}
		add(FindZoneLags, text, "look at the zone's ovnkube-controller: it has not written these rows")
	}
	return out
}

// distinctCauses returns each cause once, by defect, then in the given order.
func distinctCauses(causes []*dialect.DiffCause) (out []*dialect.DiffCause) {
	seen := map[dialect.DiffCause]bool{}
	for _, d := range dialect.AllDefects() {
		for _, c := range causes {
			if c != nil && c.Defect == d && !seen[*c] {
				seen[*c] = true
				out = append(out, c)
			}
		}
	}
	return out
}

// differsIn describes differences of a policy in a zone: the first ones, how many more there are, and since
// when. of holds indexes into p.Diffs; atLeast is the smallest total to report.
func differsIn(z *model.ZoneState, p *model.PolicyInZone, now time.Time, of []int, atLeast int) string {
	rows := make([]string, 0, namedRows)
	for _, i := range of[:min(len(of), namedRows)] {
		rows = append(rows, diffInWords(&p.Diffs[i]))
	}
	text := fmt.Sprintf("zone %s: %s", z.Name, strings.Join(rows, "; "))
	if more := max(len(of), atLeast) - len(rows); more > 0 {
		text += fmt.Sprintf("; and %s more", words.Count(more, "row"))
	}
	if !p.DiffSince.IsZero() && !z.IsStored() { // a database file has no times
		text += fmt.Sprintf("; seen since %s, for %s", p.DiffSince.Format(time.TimeOnly), now.Sub(p.DiffSince).Round(time.Second))
	}
	return text
}

// diffInWords returns "ACL x is missing", "Address_Set y differs: addresses without 10.0.0.1".
func diffInWords(d *model.RowDiff) string {
	name := d.Table + " " + cmp.Or(d.ID, d.UUID)
	if d.Kind != model.DiffDifferent {
		return name + " is " + string(d.Kind)
	}
	var parts []string
	for _, f := range d.Fields {
		part := f.Column
		if len(f.Missing) > 0 {
			part += " without " + words.JoinAtMost(f.Missing, " ", namedRows)
		}
		if len(f.Extra) > 0 {
			part += " with " + words.JoinAtMost(f.Extra, " ", namedRows) + " too many"
		}
		parts = append(parts, part)
	}
	return name + " differs: " + strings.Join(parts, ", ")
}

// misplacedPorts finds ports in the zone's port group whose pods run on another node.
func misplacedPorts(r *Revision, z *model.ZoneState, k model.PolicyKey, p *model.PolicyInZone) (out []zoneFinding) {
	for i := range p.Diffs {
		for _, f := range p.Diffs[i].Fields {
			if p.Diffs[i].Table != nb.TablePortGroup || f.Column != "ports" {
				continue
			}
			for _, port := range f.Extra {
				ns, name, _ := strings.Cut(port, "_")
				if pod := r.Cluster.Pod(ns, name); pod != nil && pod.NodeName != "" && pod.NodeName != z.Name {
					text := fmt.Sprintf("zone %s: Port_Group %s holds the port of pod %s/%s, which runs on %s",
						z.Name, p.Diffs[i].ID, ns, name, pod.NodeName)
					out = append(out, zoneWarning(findPortUnion, z.Name, k, p.DiffSince, text, "the pod's port belongs to its own node's zone only"))
					break // one finding is enough
				}
			}
		}
	}
	return out
}

// podsWithoutZone finds subject pods missing in every zone's port group because their node has no zone. It
// finds nothing while zones are fewer than nodes.
func podsWithoutZone(r *Revision) (out []zoneFinding) {
	if len(r.Zones) == 0 || len(r.Zones) < r.Cluster.Count(model.KindNode) {
		return nil
	}
	zones := make(map[string]bool, len(r.Zones))
	for _, z := range r.Zones {
		zones[z.Name] = true
	}
	lost := model.FilterSeq(r.Cluster.Pods(), func(p *model.Pod) bool { return p.NodeName != "" && !zones[p.NodeName] })
	if len(lost) == 0 {
		return nil
	}
	for c := range r.AllCompiled() {
		if !c.Key.Kind.IsPolicy() || c.WhyNoRows != nil {
			continue
		}
		var names []string
		for _, p := range lost {
			if r.DesiredFor(c.Key).IsSubject(c, p) {
				names = append(names, p.Namespace+"/"+p.Name+" on "+p.NodeName)
			}
		}
		if len(names) > 0 {
			text := fmt.Sprintf("no zone holds the ports of %s: %s", words.Count(len(names), "subject pod"), words.JoinAtMost(names, " ", namedRows))
			out = append(out, zoneWarning(findPortUnion, "", c.Key, time.Time{}, text,
				"the node has no zone: check its Node object, or name its database"))
		}
	}
	return out
}

// deviatingUnits compares the digests of units between all zones judged since the last change. The rows of
// most zones are the reference.
func deviatingUnits(zones []*model.ZoneState, now time.Time) (out []zoneFinding) {
	units := map[model.PolicyKey][]*model.ZoneState{}
	for _, z := range zones {
		for k, p := range z.Policies {
			if p.Rows == nil || k != p.Policy {
				continue
			}
			switch p.StateAt(z, now) {
			case model.StateStale, model.StateUnknown, model.StateSettling:
			default:
				units[k] = append(units[k], z)
			}
		}
	}
	for k, in := range units {
		if k.Kind == model.KindNetpolNode || len(in) < 2 {
			continue
		}
		votes := map[uint64]int{}
		for _, z := range in {
			votes[z.Policies[k].Rows.Sum]++
		}
		if len(votes) == 1 {
			continue
		}
		most := in[0] // the first by name if tied
		for _, z := range in {
			if votes[z.Policies[k].Rows.Sum] > votes[most.Policies[k].Rows.Sum] {
				most = z
			}
		}
		want := most.Policies[k].Rows
		for _, z := range in {
			if p := z.Policies[k]; p.Rows.Sum != want.Sum {
				text := fmt.Sprintf("zone %s: %s; compared with %s, such as zone %s",
					z.Name, digestDiff(want.Rows, p.Rows.Rows), words.Count(votes[want.Sum], "zone"), most.Name)
				out = append(out, zoneWarning(findZoneDiffers, z.Name, k, p.Touched, text, "compare the rows of the two zones"))
			}
		}
	}
	return out
}

// digestDiff describes how rows differ from those of most zones. Both lists are sorted.
func digestDiff(want, have []model.RowDigest) string {
	var parts []string
	n := 0
	say := func(r model.RowDigest, how string) {
		n++
		if len(parts) < namedRows {
			parts = append(parts, r.Table+" "+r.ID+" "+how)
		}
	}
	order := func(a, b model.RowDigest) int { return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.ID, b.ID)) }
	for len(want) > 0 || len(have) > 0 {
		switch {
		case len(have) == 0 || len(want) > 0 && order(want[0], have[0]) < 0:
			say(want[0], "is missing")
			want = want[1:]
		case len(want) == 0 || order(want[0], have[0]) > 0:
			say(have[0], "is extra")
			have = have[1:]
		default:
			if want[0].Hash != have[0].Hash {
				say(want[0], "differs")
			}
			want, have = want[1:], have[1:]
		}
	}
	text := strings.Join(parts, "; ")
	if n > len(parts) {
		text += fmt.Sprintf("; and %s more", words.Thousands(n-len(parts)))
	}
	return text
}
