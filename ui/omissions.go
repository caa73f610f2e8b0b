package ui

import (
	"strings"

	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/widget"
)

// pageOmissions returns the omissions that could change a page: the same as those in the output of the page's
// command. Other pages answer nothing, or show their omissions themselves (trace, preview).
func pageOmissions(r *revision.Revision, p nav.Page, zones []*model.ZoneState) []model.Omission {
	switch p.Kind {
	case nav.Ladder, nav.Rows, nav.Row, nav.Zones, nav.Activity, nav.Findings:
		if len(zones) > 0 {
			return revision.OmissionsOfRows(r, zones)
		}
		return revision.OmissionsOfObjects(r)
	case nav.Policy:
		return revision.OmissionsOfPolicy(r, p.Key)
	case nav.Rule:
		out := revision.OmissionsOfPolicy(r, p.Key)
		if len(zones) > 0 {
			out = append(out, revision.OmissionsOfZones(r, zones...)...)
		}
		return out
	case nav.Pod, nav.Logs, nav.Sessions, nav.Template:
		return revision.OmissionsOfObjects(r)
	case nav.Plan, nav.Matrix:
		return revision.OmissionsOfAnswers(r, false)
	case nav.Probe: // it compares packets with policies and rows
		return revision.OmissionsOfAnswers(r, true)
	}
	return nil
}

// PageOmissions holds the omissions of a page, in one line. They are computed once for every revision and
// page.
type PageOmissions struct {
	rev     *revision.Revision
	page    nav.Page
	zone    string
	text    string // empty for none
	assumed bool   // only assumptions, nothing left out
}

// TakePage reports whether a page has omissions. zone is the zone whose rows the page shows, or empty for all.
func (o *PageOmissions) TakePage(r *revision.Revision, page nav.Page, zone string) bool {
	if o.rev == r && o.page == page && o.zone == zone {
		return o.text != ""
	}
	*o = PageOmissions{rev: r, page: page, zone: zone}
	zones := r.Zones
	if z := r.Zone(zone); z != nil {
		zones = []*model.ZoneState{z}
	}
	all := pageOmissions(r, page, zones)
	o.text, o.assumed = widget.CleanText(summaryText(all)), len(revision.UnjudgedOmissions(all)) == 0
	return o.text != ""
}

// OmissionsLine returns the omissions with the key that lists them all.
func (o *PageOmissions) OmissionsLine(st *themes.StyleSet, keys *action.Keymap, w int) widget.Line {
	sign, look := words.Warned, st.Warn
	if o.assumed {
		sign, look = words.Noted, st.Dim
	}
	var key widget.Line
	if k := keys.ActionByID(action.GoOmitted).HintKey(); k != "" {
		key = widget.StyledLine(" · ", st.Dim).Add(k, st.Key).Add(" lists all", st.Text)
	}
	room := w - key.LineWidth()
	if room < leastOmission { // help lists the key, too
		key, room = nil, w
	}
	return widget.JoinLines(widget.Line{{Text: " " + sign + " ", Style: look}, {Text: o.text, Style: st.Text}}.CutWords(room), key)
}

// leastOmission is the least width of the omission text.
const leastOmission = 30

// omissionNouns name omissions of a code in counts; omissions of other codes are written in full.
var omissionNouns = map[model.OmissionCode]string{
	model.OmittedFile:   "file",
	model.OmittedObject: "object",
	model.OmittedRows:   "policy",
	model.OmittedKind:   "kind",
	model.OmittedZone:   "zone",
}

// namedOmissions is how many omissions are named before "more".
const namedOmissions = 3

// summaryText summarizes omissions in one line: a single one in full, several as a count. Assumptions come
// last.
func summaryText(all []model.Omission) string {
	var counts, names, parts, assumed []string
	one := ""
	for _, code := range model.OmissionCodes {
		n := 0
		for i := range all {
			switch o := &all[i]; {
			case o.Code != code:
			case o.IsAssumption() && code != model.OmittedPlace: // OmittedPlace names its pods
				assumed = append(assumed, o.String())
			case omissionNouns[code] == "":
				parts = append(parts, o.String())
			default:
				n++
				one = o.String()
				names = append(names, o.OmittedName())
			}
		}
		if n > 0 {
			counts = append(counts, words.Count(n, omissionNouns[code]))
		}
	}
	if len(names) > 1 {
		one = strings.Join(counts, ", ") + " not counted: " + words.ListFew(names, namedOmissions)
	}
	if one != "" {
		parts = append([]string{one}, parts...)
	}
	switch n := len(assumed); {
	case len(parts) > 0 && n > 0, n > 1:
		parts = append(parts, words.Count(n, "assumption"))
	default:
		parts = append(parts, assumed...)
	}
	return strings.Join(parts, " · ")
}
