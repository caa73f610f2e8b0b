package gate

import (
	"fmt"
	"slices"
	"strings"

	"rung/change"
	"rung/change/effect"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision"
)

// StaleError says that a change is not the one that was looked at any more:
// another object, another guard rail, other consequences. Nothing was written.
// It is an ErrStale, and an ErrBlocked too when the change cannot be made now.
type StaleError struct {
	// Title names the change; Difference says what is different, as a clause.
	Title, Difference string
	// Preview is the change as it is now, to be looked at; nil for one that has
	// no preview.
	Preview *Preview
}

func (e *StaleError) Error() string {
	return fmt.Sprintf("%s: %v: look again: %s", e.Title, change.ErrStale, e.Difference)
}

// Is makes it an ErrStale, and an ErrBlocked as well when it cannot be done.
func (e *StaleError) Is(target error) bool {
	return target == change.ErrStale || target == change.ErrBlocked && e.Preview != nil && e.Preview.Blocked != ""
}

// comparedState holds the consequences that a preview shows besides its objects and guards,
// in a form in which two previews can be compared. Pods count by their kind:
// another replica of the same kind makes no difference, a pod of a new kind does.
type comparedState struct {
	// complete is set where the consequences were worked out; a preview without them
	// is compared by objects and guards alone.
	complete bool
	// Consequences of the same objects, compiled alike, beside the same rows of the
	// changed policies need no second look.
	basis            revision.RevisionBasis
	liveRows         string
	baseNotes        []string // notes there were before the consequences
	mode             string   // to whom the change is made
	unreachableZones []string // zones that were out of reach
	facts            []effect.Consequence
	// workedEffect is the Effect as it was worked out, whatever became of the one on the preview.
	workedEffect *effect.Effect
	plan         []effect.Consequence // those for a plan that is not at its end, which are among facts
}

// newComparedState begins what is seen of a preview.
func newComparedState(rev *revision.Revision) comparedState {
	return comparedState{complete: true, basis: rev.Basis(), unreachableZones: lostZones(rev), mode: modeOf(rev)}
}

func modeOf(rev *revision.Revision) string {
	m := rev.Mode
	return fmt.Sprintf("%q %q %q %v %v", m.Name, m.Title, m.Server, m.Sandbox, m.WriteBack)
}

// liveOf returns, as text to compare, in how many zones each changed policy has live
// ACLs, and at which priority: the consequences depend on it.
func liveOf(rev *revision.Revision, changes []change.ObjectChange) string {
	var b strings.Builder
	for i := range changes {
		zones, at := effect.CountLiveZones(rev, changes[i].Key)
		fmt.Fprintf(&b, "%s %d %d\n", changes[i].Key, zones, at)
	}
	return b.String()
}

// IsOutdated says whether a preview that was worked out when one revision was the
// newest may say something else now, so that it is worth working out again.
func (p *Preview) IsOutdated(then, now *revision.Revision) bool {
	// The history decides what an undo or a redo is, also when there is nothing to undo yet.
	ofHistory := p.Undoes != 0 || p.Mutation.Op == change.OpUndo || p.Mutation.Op == change.OpRedo
	return then.Basis() != now.Basis() || then.Mode.Writes != now.Mode.Writes || modeOf(then) != modeOf(now) ||
		ofHistory && (then.Undo != now.Undo || then.Redo != now.Redo || !then.Plan.SaysSame(now.Plan)) ||
		then.Unconfirmed.IsOpen() != now.Unconfirmed.IsOpen() ||
		then.Plan.IsOpen() != now.Plan.IsOpen() || then.Plan.IsUnderWay() != now.Plan.IsUnderWay() ||
		!slices.Equal(lostZones(then), lostZones(now)) || liveOf(then, p.Objects) != liveOf(now, p.Objects)
}

// lostZones are the zones whose rows cannot be seen to follow.
func lostZones(rev *revision.Revision) (out []string) {
	for _, z := range rev.Zones {
		if z.Conn == model.ConnLost || z.Conn == model.ConnDenied {
			out = append(out, z.Name)
		}
	}
	return out
}

func (s *comparedState) addFact(is, text string) {
	s.facts = append(s.facts, effect.Consequence{Identity: is, Text: text})
}

func (s *comparedState) addNotes(texts ...string) {
	for _, t := range texts {
		s.addFact("note "+t, t)
	}
}

// addRows notes which rows come and go. How many members a set has follows from the
// pods.
func (s *comparedState) addRows(rows []change.RowChange) {
	for _, r := range rows {
		if r.Table == nb.TableACL || r.Kind != model.DiffDifferent {
			s.addFact(fmt.Sprintf("row %s %s %s", r.Kind, r.Table, r.ID), "other rows")
		}
	}
}

func (s *comparedState) addFindings(found []model.Finding) {
	for _, f := range found {
		s.addFact(fmt.Sprintf("finding %s %s %s %d", f.Code, f.Policy, f.Direction, f.Rule),
			f.Policy.Label()+": "+f.Message)
	}
}

// ChangesSince says what somebody who read p would have to look at again in the same
// change worked out later; empty when there is nothing.
func (p *Preview) ChangesSince(now *Preview) string {
	switch {
	case p.Blocked != now.Blocked && now.Blocked != "":
		return "it can no longer be done: " + now.Blocked
	case p.Blocked != now.Blocked:
		return "it can be done now"
	case now.compared.complete && p.compared.complete && p.compared.mode != now.compared.mode:
		return "it would be made somewhere else"
	}
	for _, differs := range []func(*Preview) string{p.otherObjects, p.guardsChanged, p.factsChanged} {
		if what := differs(now); what != "" {
			return what
		}
	}
	return ""
}

func (p *Preview) otherObjects(now *Preview) string {
	if len(p.Objects) != len(now.Objects) {
		return fmt.Sprintf("it changes %s instead of %s", words.Count(len(now.Objects), "object"), words.Thousands(len(p.Objects)))
	}
	for i, was := range p.Objects {
		is := now.Objects[i]
		switch {
		case was.Key != is.Key:
			return "it changes " + is.Key.Label() + " instead of " + was.Key.Label()
		case !sameObject(was.Old, is.Old, true):
			return is.Key.Label() + " was changed meanwhile"
		case p.Mutation.Session && was.New != nil && is.New != nil:
			// It begins when it is made, and so its record is another.
			if was.New.Logging != is.New.Logging {
				return is.Key.Label() + " would become another"
			}
		case !sameObject(was.New, is.New, was.SentDocument == nil && is.SentDocument == nil):
			return is.Key.Label() + " would become another"
		}
	}
	return ""
}

// sameObject says whether two versions of a policy are one to whoever reads
// them: the same object of the server, meant alike, and written alike where the
// text is somebody's and not made by the server.
func sameObject(a, b *model.Policy, written bool) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.UID != "" && b.UID != "" && a.UID != b.UID {
		return false // removed and made again
	}
	return model.SameContent(a, b) && (!written || a.YAML == b.YAML || a.Version != "" || b.Version != "")
}

func (p *Preview) guardsChanged(now *Preview) string {
	whole := p.compared.complete && now.compared.complete
	has := func(list []change.Guard, g change.Guard) bool {
		if !whole {
			return isConfirmed(list, g) // a step of a plan, whose guards were confirmed with the plan
		}
		return slices.ContainsFunc(list, func(o change.Guard) bool {
			return o.Code == g.Code && o.Policy == g.Policy && o.Identity() == g.Identity()
		})
	}
	for _, g := range now.Guards {
		if !has(p.Guards, g) {
			return "a guard rail: " + g.Message
		}
	}
	for _, g := range p.Guards {
		if whole && !has(now.Guards, g) {
			return "no longer: " + g.Message
		}
	}
	return ""
}

func (p *Preview) factsChanged(now *Preview) string {
	if !p.compared.complete || !now.compared.complete {
		return ""
	}
	for _, z := range now.compared.unreachableZones {
		if !slices.Contains(p.compared.unreachableZones, z) {
			return "zone " + z + " was lost"
		}
	}
	if text, found := firstOnly(now.compared.facts, p.compared.facts); found {
		return text
	}
	if text, found := firstOnly(p.compared.facts, now.compared.facts); found {
		return "no longer: " + text
	}
	return ""
}

// firstOnly is the text of the first consequence that others do not have.
func firstOnly(facts, others []effect.Consequence) (text string, found bool) {
	had := make(map[string]bool, len(others))
	for _, f := range others {
		had[f.Identity] = true
	}
	for _, f := range facts {
		if !had[f.Identity] {
			return f.Text, true
		}
	}
	return "", false
}

// addEffect notes what becomes of connections: how many they are is no matter.
func (s *comparedState) addEffect(e *effect.Effect) {
	s.workedEffect = e
	if e == nil {
		return
	}
	if e.Caveat != "" {
		s.addNotes(e.Caveat)
	}
	if e.Unknown != "" {
		s.addFact("effect unknown", e.Text())
		return
	}
	for i := range e.Flips {
		g := &e.Flips[i]
		s.addFact("flips "+effect.GroupID(g), fmt.Sprintf("%s → %s: %s", g.Before, g.After, revision.GroupText(g)))
	}
}
