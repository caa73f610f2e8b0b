package gate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rung/change"
	"rung/change/effect"
	"rung/change/guard"
	"rung/change/rewrite"
	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/sources/kube"
)

// serverWriter is a Writer that writes to an API server. Its other methods change nothing.
type serverWriter interface {
	change.Writer
	// LivePolicies reads the policies from the server; nil for those that do not exist.
	LivePolicies(ctx context.Context, keys []model.PolicyKey) (map[model.PolicyKey]*kube.LivePolicy, error)
	// TryChanges sends the changes as a dry run.
	TryChanges(ctx context.Context, changes []change.ObjectChange) *change.ServerAnswer
}

// resolveOnServer resolves a mutation from the server's objects, which may be newer than the watched ones. It
// adds the guard rails and the server's answer to a dry run. It also returns the revision with the server's
// objects. read is the previous preview, or nil; its unchanged parts are reused.
func (g *Gate) resolveOnServer(ctx context.Context, rev *revision.Revision, m change.Mutation, read *Preview) (*Preview,
	*revision.Revision) {
	basis := rev.Basis()
	var live map[model.PolicyKey]*kube.LivePolicy
	if g.server != nil {
		var err error
		if live, err = g.server.LivePolicies(ctx, g.involvedPolicies(m)); err != nil {
			p := g.resolveMutation(rev, m)
			if p.ReadOnly { // unknown objects are a better reason than read-only
				p.Blocked, p.ReadOnly = "", false
			}
			p.block("%v", err)
			return p, rev
		}
		rev = withLiveObjects(rev, live)
	}
	p := g.resolveLive(rev, live, m)
	if g.server != nil {
		g.askServer(ctx, rev, p)
	}
	if read != nil && read.compared.complete && read.compared.basis == basis && read.otherObjects(p) == "" {
		g.judgeEffect(p, read.compared.workedEffect, rev)
	} else {
		p.next = effect.RevisionAfter(rev, p.Objects)
		if read == nil { // the caller waits for the whole preview
			wait := p.startEarlyParts(rev)
			defer wait()
		}
		g.judgeEffect(p, effect.JudgeChanges(ctx, rev, p.next, p.Objects, g.clusterFacts()), rev)
	}
	p.addKeptGuards(p.Objects, live)
	return p, rev
}

// involvedPolicies returns the policies that a change may involve.
func (g *Gate) involvedPolicies(m change.Mutation) (out []model.PolicyKey) {
	switch m.Op {
	case change.OpCombine:
		for _, one := range m.Parts {
			out = append(out, g.involvedPolicies(one)...)
		}
	case change.OpApply:
		for _, text := range [][]byte{m.YAML, m.Base} {
			out = slices.AppendSeq(out, maps.Keys(rewrite.PoliciesOfText(text)))
		}
	case change.OpRevert, change.OpFinish:
		for _, o := range g.trials.TrialEntry().Objects {
			out = append(out, o.Key)
		}
	case change.OpUndo, change.OpRedo:
		if e, why := g.HistoryEntry(g.Config.CurrentRevision(), m); why == "" {
			for _, o := range e.Objects {
				out = append(out, o.Key)
			}
		}
	default:
		out = append(out, m.LoggingTargets()...)
	}
	slices.SortFunc(out, model.Key.Compare)
	return slices.Compact(out)
}

// withLiveObjects returns a revision with the policies just read from the server.
func withLiveObjects(rev *revision.Revision, live map[model.PolicyKey]*kube.LivePolicy) *revision.Revision {
	var upsert []model.Object
	var remove []model.Key
	for k, l := range live {
		was := rev.Cluster.Changeable(k)
		switch {
		case l == nil && was == nil:
		case l == nil:
			remove = append(remove, k)
		case was == nil || was.Version == "" || was.Version != l.Policy.Version || was.UID != l.Policy.UID:
			upsert = append(upsert, effect.ObjectOfPolicy(rev, l.Policy))
		}
	}
	if len(upsert)+len(remove) == 0 {
		return rev
	}
	return rev.WithPolicies(upsert, remove)
}

// askServer adds the server's answer to a dry run, unless the change is blocked already.
func (g *Gate) askServer(ctx context.Context, rev *revision.Revision, p *Preview) {
	if p.Blocked != "" {
		return
	}
	got := g.server.TryChanges(ctx, p.Objects)
	p.takeServerAnswer(got)
	p.takeStored(got.Stored)
	p.describeObjects(rev)
}

// takeServerAnswer adds a server's errors and warnings on the change.
func (p *Preview) takeServerAnswer(got *change.ServerAnswer) {
	p.Errors = append(p.Errors, got.Errors...)
	p.blockInvalid()
	if got.Blocked != "" {
		p.block("%s", got.Blocked)
	}
	p.Notes, p.Warnings = append(p.Notes, got.Warnings...), append(p.Warnings, got.Warnings...)
}

// addKeptGuards adds the guards of objects that another system owns (GitOps).
func (p *Preview) addKeptGuards(changes []change.ObjectChange, live map[model.PolicyKey]*kube.LivePolicy) {
	for i := range changes {
		if l := live[changes[i].Key]; l != nil {
			p.Guards = append(p.Guards, keptElsewhereGuards(&changes[i], l)...)
		}
	}
	p.ConfirmName = guard.ConfirmName(p.Guards, p.Objects)
}

// takeStored replaces each requested object by what the server would store if it differs: an apply leaves
// fields of other owners, a webhook may change any field. It drops changes without effect.
func (p *Preview) takeStored(stored []*model.Policy) {
	var out []change.ObjectChange
	for i, c := range p.Objects {
		var s *model.Policy
		if i < len(stored) {
			s = stored[i]
		}
		if s != nil && (!model.SameContent(s, c.New) || c.ServerVerb == kube.VerbPatch) {
			for _, f := range serverChanges(c, c.New, s) {
				p.Notes = append(p.Notes, fmt.Sprintf("the server changes %s of %s: %s → %s",
					f.Path, c.Key.Label(), words.OrNone(f.Old), words.OrNone(f.New)))
			}
			if c.Old != nil && model.SameContent(c.Old, s) {
				p.Notes = append(p.Notes, c.Key.Label()+" needs no change")
				continue
			}
			c.SentDocument, c.New = c.New, rewrite.NextVersion(c.Old, s)
			if c.Old == nil {
				c.New.UID, c.New.Version = "", "" // valid during the dry run only
			}
		}
		out = append(out, c)
	}
	p.Objects = out
}

// serverChanges returns the fields that a webhook or an admission policy changed between sent and stored.
// Defaults, and fields that an apply neither sent nor changed, do not count.
func serverChanges(c change.ObjectChange, sent, stored *model.Policy) []change.FieldChange {
	var kept []change.FieldChange // fields changed from the object before
	if c.ServerVerb == kube.VerbApply && c.Old != nil {
		kept = effect.FieldChanges(c.Old, stored)
	}
	return slices.DeleteFunc(effect.FieldChanges(sent, stored), func(f change.FieldChange) bool {
		switch {
		case f.Old != "":
			return false
		case f.Path == "metadata.namespace", f.Path == "spec.policyTypes", strings.HasSuffix(f.Path, ".protocol") && f.New == "TCP":
			return true
		}
		return c.ServerVerb == kube.VerbApply && c.Old != nil &&
			!slices.ContainsFunc(kept, func(k change.FieldChange) bool { return k.Path == f.Path })
	})
}

// serverChangesText names the fields that the server changed, or returns "". sent holds the objects before
// they were written.
func serverChangesText(sent, stored []change.ObjectChange) string {
	var changed []string
	for i, c := range sent {
		var paths []string
		if now := stored[i].New; c.New != nil && now != nil {
			for _, f := range serverChanges(c, cmp.Or(c.SentDocument, c.New), now) {
				paths = append(paths, f.Path)
			}
		}
		if len(paths) > 0 {
			changed = append(changed, words.ListSome(paths, 3)+" of "+c.Key.Label())
		}
	}
	if len(changed) == 0 {
		return ""
	}
	return "the server (a webhook?) changed " + words.ListSome(changed, 3)
}

// GuardKept is the code of an object that another system keeps (GitOps) and will revert.
const GuardKept = "kept-elsewhere"

// keptElsewhereGuards returns the guard of an object that other systems own and will, or may, revert.
func keptElsewhereGuards(c *change.ObjectChange, l *kube.LivePolicy) []change.Guard {
	var will, may []string
	for _, o := range l.Owners(c.New) {
		if o.Certain {
			will = append(will, o.String())
		} else {
			may = append(may, o.String())
		}
	}
	word, by := "will be reverted by", will
	if len(will) == 0 {
		word, by = "may be reverted by", may
	}
	if len(by) == 0 {
		return nil
	}
	return []change.Guard{{Code: GuardKept, Policy: c.Key, Message: fmt.Sprintf("the change of %s %s %s; make the change at its source",
		c.Key.Label(), word, words.ListSome(by, 3))}}
}

// dryRunPlan tries the first step of every policy of a plan on the server, since later steps start from the
// result of the first. It also adds the guards of objects kept elsewhere.
func (g *Gate) dryRunPlan(ctx context.Context, rev *revision.Revision, p *Preview) {
	if g.server == nil || len(p.Objects) == 0 {
		return
	}
	first := change.FirstPerKey(p.Objects)
	live, err := g.server.LivePolicies(ctx, change.ObjectKeys(first))
	if err != nil {
		p.block("%v", err)
		return
	}
	if p.Blocked == "" && rev.Mode.Writes {
		p.takeServerAnswer(g.server.TryChanges(ctx, first))
	}
	p.addKeptGuards(first, live)
}

// restorePlaces is a Writer that tells in advance where it puts objects, or why it cannot write them.
type restorePlaces interface {
	RestoreNotes(changes []change.ObjectChange) (notes []string, err error)
}
