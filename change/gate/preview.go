package gate

import (
	"fmt"
	"slices"

	"rung/change"
	"rung/change/effect"
	"rung/change/rewrite"
	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/sources/kube"
	"rung/sources/manifests"
	"rung/system"
)

// resolveMutation works out which objects a change writes and whether it may be made. It is cheap compared
// with effect.JudgeChanges, which finds the guard rails, and explainPreview.
func (g *Gate) resolveMutation(rev *revision.Revision, m change.Mutation) *Preview {
	return g.resolveLive(rev, nil, m)
}

// resolveLive is resolveMutation with the server's policies; live may be nil.
func (g *Gate) resolveLive(rev *revision.Revision, live livePolicies, m change.Mutation) *Preview {
	r := mutationResolver{g, rev, live, &Preview{Mutation: m}}
	r.findChanges()
	r.judgeObjects()
	return r.preview
}

// findChanges finds the objects that a mutation changes.
func (r *mutationResolver) findChanges() {
	switch r.preview.Mutation.Op {
	case change.OpApply:
		r.applyDocuments()
	case change.OpDelete:
		r.preview.Title = "Delete " + r.preview.Mutation.Policy.Label()
		r.addChange(r.targetPolicy(), nil)
	case change.OpMove:
		r.movePolicy()
	case change.OpLogLevel:
		r.logLevel()
	case change.OpLogEnd:
		r.logEnd()
	case change.OpUndo, change.OpRedo:
		r.undoChange()
	case change.OpRevert, change.OpFinish:
		r.resolveRest(r.preview.Mutation.Op == change.OpFinish)
	case change.OpCombine:
		r.combineChanges()
	default:
		r.block("unknown action %q", r.preview.Mutation.Op)
	}
}

// livePolicies are the policies on a server now, by key.
type livePolicies map[model.PolicyKey]*kube.LivePolicy

type mutationResolver struct {
	gate    *Gate
	rev     *revision.Revision
	live    livePolicies
	preview *Preview
}

// block sets the reason why the change cannot be made; the first reason is kept.
func (p *Preview) block(format string, args ...any) {
	if p.Blocked == "" {
		p.Blocked = words.CleanText(fmt.Sprintf(format, args...))
	}
}

func (r *mutationResolver) block(format string, args ...any) { r.preview.block(format, args...) }

// judgeObjects decides whether the objects found may be changed.
func (r *mutationResolver) judgeObjects() {
	p := r.preview
	if len(p.Errors) == 0 && len(p.Objects) > 0 { // own errors hide errors due to other objects
		p.Errors = system.RejectedChanges(r.rev.Cluster, effect.RevisionAfter(r.rev, p.Objects).Cluster, change.ObjectKeys(p.Objects))
	}
	p.blockInvalid()
	for i := range p.Objects {
		p.Objects[i].ServerVerb, p.Objects[i].Force = change.APIVerb(p.Mutation, &p.Objects[i]), p.Mutation.Force
	}
	p.describeObjects(r.rev)
	if why := r.gate.trials.ReasonToWait(p); why != "" {
		r.block("%s", why)
	}
	// Read-only comes last, since errors of the change itself say more. A revert and the timed end of a
	// logging session pass, because both were agreed to beforehand.
	if !r.rev.Mode.Writes && p.Mutation.Op != change.OpRevert && !(p.Mutation.Op == change.OpLogEnd && p.Mutation.Timed) {
		why := r.rev.Mode.WhyNot
		if why == "" || why == "read-only" {
			why = "changes are switched off"
			if r.rev.Mode.Name == revision.ClusterMode {
				why += " (W in the console, --write on the command line)"
			}
		}
		p.ReadOnly = p.ReadOnly || p.Blocked == ""
		r.block("read-only: %s", why)
	}
}

// blockInvalid blocks the change if validation found errors.
func (p *Preview) blockInvalid() {
	var found []model.Broken
	for _, b := range p.Errors {
		if b.IsError() {
			found = append(found, b)
		}
	}
	switch n := len(found); n {
	case 0:
	case 1:
		p.block("not valid: %s", found[0])
	default:
		p.block("not valid: %s (and %d more)", found[0], n-1)
	}
}

// IsNoChange reports whether all objects are already as wanted. It is false for a change blocked for another
// reason.
func (p *Preview) IsNoChange() bool { return p.noChange && len(p.Objects) == 0 }

// describeObjects fills in the parts of a preview that follow from its objects alone.
func (p *Preview) describeObjects(rev *revision.Revision) {
	change.SortForWriting(p.Objects)
	for i := range p.Objects {
		c := &p.Objects[i]
		if c.Old != nil && c.New != nil {
			c.Fields = effect.FieldChanges(c.Old, c.New)
		}
		c.Diff = rewrite.UnifiedDiff(c.Key.Label()+" (now)", c.Key.Label()+" (after)", change.PolicyText(c.Old), change.PolicyText(c.New))
	}
	if p.Title == "" {
		p.Title = change.ObjectsTitle(p.Objects)
	}
	if len(p.Objects) == 0 {
		p.noChange = p.Blocked == ""
		p.block("nothing to apply")
	}
	p.Commands = change.KubectlCommands(rev, p.Mutation, p.Objects)
	p.Script = change.KubectlScript(rev, p.Mutation, p.Objects)
}

// addChange adds the change of an object, unless the object is already as wanted.
func (r *mutationResolver) addChange(old, now *model.Policy) {
	if old == nil && now == nil {
		return
	}
	c := change.ObjectChange{Old: old}
	if now != nil {
		if old != nil && model.SameContent(old, now) {
			r.preview.Notes = append(r.preview.Notes, now.Key.Label()+" needs no change")
			return
		}
		c.Key, c.New = now.Key, rewrite.NextVersion(old, now)
	} else {
		c.Key = old.Key
	}
	r.preview.Objects = append(r.preview.Objects, c)
}

// applyDocuments finds the changes of applying a text of whole policies.
func (r *mutationResolver) applyDocuments() {
	m := r.preview.Mutation
	res := manifests.Parse("", m.YAML, r.gate.judgingOptions())
	r.preview.Errors = res.Broken
	base := rewrite.PoliciesOfText(m.Base)
	seen, aside := map[model.Key]bool{}, map[model.Kind]int{}
	for _, o := range res.Objects {
		now := manifests.WrittenPolicy(o)
		if now == nil {
			if ns, implied := o.(*model.Namespace); implied && ns.Origin.Doc == 0 && ns.Origin.Line == 0 {
				continue // implied by pods, which are rejected themselves
			}
			if m.Mixed {
				aside[o.ObjectKey().Kind]++
				continue
			}
			r.preview.Errors = append(r.preview.Errors, model.Broken{Severity: model.SeverityError, Origin: model.Origin{Item: -1},
				Key: o.ObjectKey(), Code: manifests.CodeNotObject,
				Message: "is not a policy: only policies can be applied"})
			continue
		}
		seen[now.Key] = true
		r.preview.Errors = append(r.preview.Errors, now.Invalid...)
		old := r.rev.Cluster.Changeable(now.Key)
		if was := base[now.Key]; was != nil && !model.SameContent(was, old) && !model.SameContent(old, now) {
			r.blockConflict(was, old, rewrite.Conflict{Key: now.Key, Base: was.YAML, Now: change.PolicyText(old), Wanted: now.YAML})
		}
		n := len(r.preview.Objects)
		r.addChange(old, now)
		if was := base[now.Key]; was != nil && old != nil && was.YAML == old.YAML && len(r.preview.Objects) > n {
			r.preview.Objects[n].ByHand = true
		}
	}
	slices.SortStableFunc(r.preview.Errors, model.Broken.CompareLines)
	m.PlaceErrors(r.preview.Errors)
	r.noteSkippedKinds(aside)
	for p := range r.rev.Cluster.AllPolicies() {
		if m.Prune && !seen[p.Key] {
			r.addChange(p, nil)
		}
	}
	for k := range base {
		if !seen[k] && len(seen) > 0 && r.rev.Cluster.Changeable(k) != nil {
			r.preview.Notes = append(r.preview.Notes, k.Label()+" is kept: the text now describes another policy")
		}
	}
	if len(seen) == 0 && len(r.preview.Errors) == 0 {
		r.block("there is no policy in the text")
	}
	if slices.ContainsFunc(r.preview.Objects, func(c change.ObjectChange) bool { return c.Old == nil }) {
		r.notePlaces()
	}
}

// blockConflict blocks a change whose object somebody else changed from base to now, naming the changed fields
// and who set them.
func (r *mutationResolver) blockConflict(base, now *model.Policy, c rewrite.Conflict) {
	if r.preview.Conflict == nil {
		r.preview.Conflict = rewrite.MergeConflict(c)
	}
	switch {
	case c.Now == "":
		r.block("%s was removed meanwhile", c.Key.Label())
		return
	case base == nil || now == nil:
		r.block("%s was changed meanwhile", c.Key.Label())
		return
	}
	var fields []string
	for _, f := range effect.FieldChanges(base, now) {
		if len(f.Old)+len(f.New) > fieldText {
			fields = append(fields, f.Path)
			continue
		}
		fields = append(fields, fmt.Sprintf("%s from %s to %s", f.Path, words.OrNone(f.Old), words.OrNone(f.New)))
	}
	by := ""
	if l := r.live[c.Key]; l != nil {
		if names := l.SetBy(base); len(names) > 0 {
			by = words.ListSome(names, 2) + " set "
		}
	}
	r.block("%s was changed meanwhile: %s%s", c.Key.Label(), by, words.ListSome(fields, 2))
}

// fieldText is the longest text of a field's values in a message; the diff below shows longer ones.
const fieldText = 60

// targetPolicy returns the policy of an operation on one policy; nil and blocked if it does not exist.
func (r *mutationResolver) targetPolicy() *model.Policy {
	k := r.preview.Mutation.Policy
	old := r.rev.Cluster.Changeable(k)
	if old == nil {
		r.block("there is no %s", k.Label())
	}
	return old
}

// movePolicy moves a policy to another priority or tier.
func (r *mutationResolver) movePolicy() {
	m, p := r.preview.Mutation, r.preview
	old := r.targetPolicy()
	p.Title = fmt.Sprintf("Move %s to %s", m.Policy.Label(), model.PlaceText(m.Tier, m.Priority))
	if old == nil {
		return
	}
	tier, priority, why := m.TargetPlace(old)
	if why != "" {
		r.block("%s", why)
		return
	}
	p.Title = fmt.Sprintf("Move %s from %s to %s", m.Policy.Label(), old.PlaceText(), model.PlaceText(tier, priority))
	now, broken := rewrite.WithPlace(old, tier, priority, r.gate.judgingOptions())
	r.takeRewritten(old, now, broken)
}
