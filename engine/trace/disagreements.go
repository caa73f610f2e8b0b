package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/model/words"
	"rung/revision"
)

// FindRowsDisagree is the code of the finding that rows and policies disagree about a connection.
const FindRowsDisagree = "rows-disagree"

// Disagreement is a stage at which rows and policies disagree.
type Disagreement struct {
	Path, Stage int // indexes into Trace.Paths and their Stages
	Zone        string
	Row         Row // the row that makes the difference, zero if unknown
	// Settling means that the rows just changed, or will soon; it may disappear by itself.
	Settling bool
	// KnownFrom2016 means that policies are decided by the document of 2016 and the rows are today's, so
	// nothing drifted.
	KnownFrom2016 bool
	Finding       model.Finding
}

// Row is a row of a zone: a live row by its UUID, a missing row by its id.
type Row struct{ Table, ID, UUID string }

// String returns the row's table and name.
func (r Row) String() string {
	return r.Table + " " + strings.TrimPrefix(cmp.Or(r.ID, r.UUID), nb.DefaultController+":")
}

// findDisagreements finds the stages where policies and rows are both sure, but differ.
func (t *Trace) findDisagreements(r *revision.Revision, compiled bool, now time.Time) {
	for i := range t.Paths {
		for j := range t.Paths[i].Stages {
			s := &t.Paths[i].Stages[j]
			if !s.HasDisagreement() {
				continue
			}
			d := Disagreement{Path: i, Stage: j, Zone: s.Zone}
			if t.isDecidedAs2016(r, i, j) {
				s.Of2016, d.KnownFrom2016, d.Finding = true, true, findingOf2016(s)
				t.Disagree = append(t.Disagree, d)
				continue
			}
			why, remedy := "", "look at the zone's rows"
			if compiled {
				why = "no zone was read; these rows are compiled from the policies"
			} else {
				why, remedy = d.findCause(r, s, now)
			}
			d.Finding = model.Finding{Code: FindRowsDisagree, Severity: model.SeverityWarning, Rule: -1, Zone: s.Zone,
				Message: fmt.Sprintf("rows disagree in zone %s, %s: policies %s, rows %s; %s", s.Zone, s.Name(), s.Verdict, s.Rows.Verdict, why),
				Remedy:  remedy}
			nameRule(&d.Finding, s.StageVerdict)
			if d.Settling {
				d.Finding.Severity = model.SeverityInfo
			}
			t.Disagree = append(t.Disagree, d)
		}
	}
}

// nameRule names the rule that decides in a stage in a finding, if a policy decides.
func nameRule(f *model.Finding, s *verdict.StageVerdict) {
	if k := s.Decided; k != nil && k.Policy.Kind.IsPolicy() {
		f.Policy, f.Direction, f.Rule = k.Policy, k.Direction, k.Rule
	}
}

// HasDisagreement reports whether policies and rows both have a sure verdict in the stage, and these differ.
func (s *Stage) HasDisagreement() bool {
	sure := func(v verdict.Verdict) bool { return v == verdict.Allow || v == verdict.Deny || v == verdict.Undefined }
	return s.Rows != nil && s.Rows.Verdict != s.Verdict && sure(s.Verdict) && sure(s.Rows.Verdict)
}

// findCause finds the row that makes the difference and describes its fault.
func (d *Disagreement) findCause(r *revision.Revision, s *Stage, now time.Time) (why, remedy string) {
	z := r.Zone(s.Zone)
	if z == nil {
		return "the zone is no longer known", ""
	}
	best, worst := (*model.RowDiff)(nil), 0
	var of *model.PolicyInZone
	for _, who := range listSuspects(s) {
		for _, unit := range who.units(r) {
			p := z.PolicyJoin(unit)
			if p == nil || p.InSync {
				continue
			}
			for i := range p.Diffs {
				diff := &p.Diffs[i]
				if n := who.likelihood(unit, diff); n > worst {
					best, worst, of = diff, n, p
				}
			}
		}
	}
	if best == nil {
		return d.foreignCause(z, s)
	}
	d.Row = Row{best.Table, best.ID, best.UUID}
	d.Settling = of.StateAt(z, now) == model.StateSettling
	why = d.Row.String() + " " + differenceText(best) + unknownRefs(z, d.Row)
	if d.Settling {
		return why + ", settling", "it just happened: wait a few seconds"
	}
	remedy = "look at the zone's ovnkube-controller: it has not written the desired row"
	if z.Writes {
		remedy = "Rung writes this row again; if it stays wrong, see the zone's state"
	}
	if c := revision.CachedCause(r, z, of, best); c != nil {
		return why + ": " + c.Text(), c.Remedy
	}
	return why, remedy
}

// unknownRefs names the port groups and address sets of a live ACL that the zone lacks: such an ACL matches
// nothing.
func unknownRefs(z *model.ZoneState, row Row) (text string) {
	if row.Table != nb.TableACL || z.DB == nil {
		return ""
	}
	a := z.DB.ACLByID(row.ID)
	if a == nil {
		a = z.DB.ACL(row.UUID)
	}
	if a == nil {
		return ""
	}
	for ref := range match.RefsIn(a.Match) {
		what := ""
		switch {
		case ref.Kind == match.RefPortGroup && z.DB.PortGroupByName(ref.Name) == nil:
			what = "; the port group " + ref.Name + " does not exist"
		case ref.Kind == match.RefAddressSet && z.DB.AddressSetByName(ref.Name) == nil:
			what = "; the address set " + ref.Name + " does not exist"
		}
		if !strings.Contains(text, what) {
			text += what
		}
	}
	if text != "" {
		text += ", so the row matches nothing"
	}
	return text
}

// foreignCause explains a difference if no row of the rules differs. Then a row without a policy decides, or
// one of a policy rejected since, or the rows were read before the policy changed.
func (d *Disagreement) foreignCause(z *model.ZoneState, s *Stage) (why, remedy string) {
	if by := s.Rows.Decided; by != nil {
		d.Row = FindRow(z, by.ACL)
		if by.Policy == (model.Key{}) {
			return d.Row.String() + " decides, a row without a policy", "find out who wrote it: OVN-Kubernetes writes no such row for a policy"
		}
		if p := z.PolicyJoin(by.Policy); p != nil && p.None != nil {
			return fmt.Sprintf("%s decides, an old row: OVN-Kubernetes now rejects %s: %s", d.Row, by.Policy.Label(), p.None.Message),
				"correct the policy, then its rows are updated"
		}
	}
	switch {
	case z.IsStored() && d.Row != (Row{}):
		return d.Row.String() + " decides, and no row of the rules differs", "compare the rule's match with the row in the database file"
	case !z.IsCurrent():
		return "the zone's rows are out of date", "wait until the zone is read again"
	case z.IsOutdated(cmp.Or(s.Decided, &verdict.Decider{}).Policy):
		return "the policy changed since the zone was read", "wait until the zone is read again"
	case d.Row != (Row{}):
		return d.Row.String() + " decides, and no row of the rules differs", "compare the rule's match with the row"
	}
	return "no row of the rules differs", "compare the rule's match with its rows"
}

// FindRow finds an ACL by its id, or by its UUID if it has no id.
func FindRow(z *model.ZoneState, id string) Row {
	row := Row{Table: nb.TableACL, ID: id}
	if z.DB == nil {
		return row
	}
	if a := z.DB.ACLByID(id); a != nil {
		row.UUID = a.UUID
	} else if z.DB.ACL(id) != nil {
		row.ID, row.UUID = "", id
	}
	return row
}

// suspect is a rule that decides by policies or rows, and the deciding row.
type suspect struct {
	*verdict.Decider
	acl string
}

// listSuspects returns the deciders, of rows first: an unexpected decision is among these.
func listSuspects(s *Stage) (out []suspect) {
	for _, by := range []*verdict.StageVerdict{s.Rows, s.StageVerdict} {
		if by.Decided != nil {
			out = append(out, suspect{by.Decided, by.Decided.ACL})
		}
		for _, list := range [][]verdict.Decider{by.Candidates, by.Passed} {
			for i := range list {
				out = append(out, suspect{&list[i], list[i].ACL})
			}
		}
	}
	return out
}

// units returns the units whose rows can make the rule decide or keep it from deciding: the policy's own, and
// of shared units the sets that the rule's match names and the default deny.
func (s suspect) units(r *revision.Revision) []model.PolicyKey {
	out := []model.PolicyKey{s.Policy}
	if p := r.Cluster.Policy(s.Policy); p != nil {
		if rule := p.Rule(s.Direction, s.Rule); rule != nil {
			out = append(out, revision.RuleSets(r, s.Policy, rule)...)
		}
		for _, unit := range r.RelatedUnits(s.Policy) {
			if unit.Kind == model.KindNetpolNamespace {
				out = append(out, unit)
			}
		}
	}
	return out
}

// likelihood ranks how likely a difference makes this rule decide, or keeps it from deciding: the deciding row
// itself, an ACL of the rule, its address sets, the ports of the policy, other rows of the policy; 0 for
// unrelated rows.
func (s suspect) likelihood(unit model.PolicyKey, d *model.RowDiff) int {
	if unit != s.Policy { // shared with other policies
		switch {
		case d.Waiting != "":
			return 0
		case d.Table == nb.TableAddressSet:
			return 4
		}
		return 1
	}
	of := ":" + s.Policy.Name + ":" + string(s.Direction) + ":" + fmt.Sprint(s.Rule)
	mine := s.Rule >= 0 && (strings.Contains(d.ID+":", of+":"))
	switch {
	case d.Waiting != "":
		return 0
	case s.acl != "" && (d.ID == s.acl || d.UUID == s.acl):
		return 6
	case d.Table == nb.TableACL && mine:
		return 5
	case d.Table == nb.TableAddressSet && mine:
		return 4
	case d.Table == nb.TablePortGroup:
		return 3
	case d.Table == nb.TableAddressSet && s.Rule < 0:
		return 2
	case s.Rule < 0:
		return 1
	}
	return 0
}

// differenceText describes the fault of a row.
func differenceText(d *model.RowDiff) string {
	switch d.Kind {
	case model.DiffMissing:
		return "is missing"
	case model.DiffExtra:
		return "should not be there"
	}
	var out []string
	for _, f := range d.Fields {
		switch n, m := len(f.Missing), len(f.Extra); {
		case n > 0 && m > 0:
			out = append(out, fmt.Sprintf("%s lack %s and have %s too many", f.Column, words.Thousands(n), words.Thousands(m)))
		case n > 0:
			out = append(out, fmt.Sprintf("%s lack %s", f.Column, strings.Join(f.Missing[:min(n, 2)], ", ")))
		case m > 0:
			out = append(out, fmt.Sprintf("%s have %s too many", f.Column, strings.Join(f.Extra[:min(m, 2)], ", ")))
		default:
			out = append(out, fmt.Sprintf("has %s %s, not %s", f.Column, words.OrNone(f.Live), words.OrNone(f.Desired)))
		}
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}
