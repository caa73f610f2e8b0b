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

// StaleError says that a change differs from the preview that was read: another object, another guard rail,
// other consequences. Nothing was written. It is an ErrStale, and also an ErrBlocked if the change cannot be
// made now.
type StaleError struct {
	// Title names the change; Difference is a clause naming the difference.
	Title, Difference string
	// A new preview of the change, to show again; nil for a change without a preview.
	Preview *Preview
}

func (e *StaleError) Error() string {
	return fmt.Sprintf("%s: %v: look again: %s", e.Title, change.ErrStale, e.Difference)
}

// Is matches ErrStale, and ErrBlocked if the change cannot be made now.
func (e *StaleError) Is(target error) bool {
	return target == change.ErrStale || target == change.ErrBlocked && e.Preview != nil && e.Preview.Blocked != ""
}

// comparedState holds the consequences of a preview, other than objects and guards, in a form that can be
// compared. Pods count by kind: another replica of the same kind makes no difference, a pod of a new kind
// does.
type comparedState struct {
	// Set if the consequences were worked out; else only objects and guards are compared.
	complete bool
	// If basis and liveRows are the same, the consequences of the same objects are not worked out again.
	basis            revision.RevisionBasis
	liveRows         string
	baseNotes        []string // notes made before the consequences
	mode             string   // where the change is made
	unreachableZones []string // zones out of reach
	facts            []effect.Consequence
	// Effect as first worked out, whatever later became of Preview.Effect.
	workedEffect *effect.Effect
	plan         []effect.Consequence // consequences for an unfinished plan, also in facts
}

// newComparedState starts the compared state of a preview made at a revision.
func newComparedState(rev *revision.Revision) comparedState {
	return comparedState{complete: true, basis: rev.Basis(), unreachableZones: unobservedZones(rev), mode: modeText(rev)}
}

func modeText(rev *revision.Revision) string {
	m := rev.Mode
	return fmt.Sprintf("%q %q %q %v %v", m.Name, m.Title, m.Server, m.Sandbox, m.WriteBack)
}

// liveRowsText returns, as text to compare, the number of zones where each changed policy has live ACLs, and their
// priority. The consequences depend on both.
func liveRowsText(rev *revision.Revision, changes []change.ObjectChange) string {
	var b strings.Builder
	for i := range changes {
		zones, at := effect.CountLiveZones(rev, changes[i].Key)
		fmt.Fprintf(&b, "%s %d %d\n", changes[i].Key, zones, at)
	}
	return b.String()
}

// IsOutdated reports whether a preview made at revision then may differ at revision now, and is worth making
// again.
func (p *Preview) IsOutdated(then, now *revision.Revision) bool {
	// The history decides what an undo or redo means, even if there is nothing to undo yet.
	ofHistory := p.Undoes != 0 || p.Mutation.Op == change.OpUndo || p.Mutation.Op == change.OpRedo
	return then.Basis() != now.Basis() || then.Mode.Writes != now.Mode.Writes || modeText(then) != modeText(now) ||
		ofHistory && (then.Undo != now.Undo || then.Redo != now.Redo || !then.Plan.Equal(now.Plan)) ||
		then.Unconfirmed.IsOpen() != now.Unconfirmed.IsOpen() ||
		then.Plan.IsOpen() != now.Plan.IsOpen() || then.Plan.IsUnderWay() != now.Plan.IsUnderWay() ||
		!slices.Equal(unobservedZones(then), unobservedZones(now)) || liveRowsText(then, p.Objects) != liveRowsText(now, p.Objects)
}

// unobservedZones returns the zones whose rows cannot be observed.
func unobservedZones(rev *revision.Revision) (out []string) {
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

// addRows records which rows are added and removed. Members of a set depend on the pods and do not count.
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

// ChangesSince tells how a later preview of the same change differs for its reader; empty if it does not.
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
			// Sessions begin when made, so their records always differ.
			if was.New.Logging != is.New.Logging {
				return is.Key.Label() + " would be changed differently"
			}
		case !sameObject(was.New, is.New, was.SentDocument == nil && is.SentDocument == nil):
			return is.Key.Label() + " would be changed differently"
		}
	}
	return ""
}

// sameObject reports whether two versions of a policy are the same to a reader: the same object on the server,
// with the same content, and the same text unless the server wrote the text.
func sameObject(a, b *model.Policy, written bool) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.UID != "" && b.UID != "" && a.UID != b.UID {
		return false // deleted and created again
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
	if f := firstOnly(now.compared.facts, p.compared.facts); f != nil {
		return f.Text
	}
	if f := firstOnly(p.compared.facts, now.compared.facts); f != nil {
		return "no longer: " + f.Text
	}
	return ""
}

// firstOnly returns the first consequence in facts that others lacks; nil if none.
func firstOnly(facts, others []effect.Consequence) *effect.Consequence {
	had := make(map[string]bool, len(others))
	for _, f := range others {
		had[f.Identity] = true
	}
	for i := range facts {
		if !had[facts[i].Identity] {
			return &facts[i]
		}
	}
	return nil
}

// addEffect records what happens to connections; their number does not count.
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
