package pattern

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"rung/model"
	"rung/model/template"
	"rung/revision"

	"rung/sources/manifests"
)

// WorldOf is the cluster of a revision as templates look at it.
func WorldOf(rev *revision.Revision) *template.World {
	w := &template.World{Cluster: rev.Cluster, Index: rev.PodIndex(), Max: rev.Flags.MaxPriority,
		Vital: revision.VitalEndpoints(rev), Tiers: rev.System.Templates}
	if w.Max == 0 {
		w.Max = model.MaxPriority
	}
	for p := range rev.Cluster.Pods() {
		for _, ip := range p.IPs {
			w.IPv6 = w.IPv6 || strings.Contains(ip, ":")
		}
	}
	return w
}

// MadeSet is a set with its text, to be applied as one change.
type MadeSet struct {
	*template.PolicySet
	// Text are the policies to write, one document each. Base is the text of those that are
	// there now and change: what somebody else changes meanwhile is a conflict.
	Text, Base string
	// New are policies that are not there, Changed those that are.
	New, Changed []model.PolicyKey
	objects      []model.Object
}

// MakeSet makes a set of answers; with offered, what is offered first is taken for what has no
// answer. The error may be a *template.MissingError.
func MakeSet(w *template.World, t *template.Template, given template.Answers, offered bool) (*MadeSet, error) {
	answers, err := t.CompleteAnswers(w, given, offered)
	if err != nil {
		return nil, err
	}
	set, err := t.MakeSet(w, answers)
	if err != nil {
		return nil, err
	}
	return writeSet(w, set)
}

// CompleteSet makes what a set of the cluster misses.
func CompleteSet(w *template.World, name string, leaveOut []string) (*MadeSet, error) {
	var names []string
	for _, k := range template.KnownSets(w.Cluster, w.Tiers != nil) {
		if k.Name == name {
			set, err := k.MakeMissing(w, leaveOut)
			if err != nil {
				return nil, err
			}
			return writeSet(w, set)
		}
		names = append(names, k.Name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there is no set %q: no policy here was made from a template", name)
	}
	return nil, fmt.Errorf("there is no set %q: there is %s", name, strings.Join(names, ", "))
}

// writeSet makes the text of a set.
func writeSet(w *template.World, set *template.PolicySet) (*MadeSet, error) {
	out := &MadeSet{PolicySet: set}
	var texts, bases []string
	for i := range set.Policies {
		p := &set.Policies[i]
		old := w.Cluster.Policy(p.Key)
		next, err := filledPolicy(p, old)
		if err != nil {
			return nil, fmt.Errorf("writing %s: %w", p.Key.Label(), err)
		}
		text := next.YAML
		if old == nil {
			text = "# " + p.Why + ".\n" + text
			out.New = append(out.New, p.Key)
		} else {
			bases = append(bases, old.YAML)
			out.Changed = append(out.Changed, p.Key)
		}
		texts = append(texts, text)
		out.objects = append(out.objects, next)
	}
	out.Text, out.Base = joinDocuments(texts), joinDocuments(bases)
	return out, nil
}

// joinDocuments are texts one after the other. One alone stays as it is.
func joinDocuments(texts []string) string {
	var b strings.Builder
	for i, t := range texts {
		if i > 0 {
			b.WriteString("---\n")
		}
		b.WriteString(t)
		if len(texts) > 1 && !strings.HasSuffix(t, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// filledPolicy is one policy of a set, put over the one there is.
func filledPolicy(p *template.SetPolicy, old *model.Policy) (*model.Policy, error) {
	object := p.Object
	if old != nil {
		was, err := manifests.UntypedTree(old.Original)
		if err != nil {
			return nil, err
		}
		object = p.PutOnto(was)
	}
	typed, err := manifests.TypedPolicy(p.Key.Kind, object)
	if err != nil {
		return nil, err
	}
	var next *model.Policy
	var broken []model.Broken
	if old != nil {
		next, broken, err = manifests.RewritePolicy(old, typed, manifests.Options{})
	} else {
		var made *model.Policy
		if made, err = manifests.FromObject(typed, model.Origin{Item: -1}); err == nil {
			next, broken = manifests.ParsePolicy([]byte(made.YAML))
		}
	}
	if err != nil {
		return nil, err
	}
	for _, b := range broken {
		if b.IsError() {
			return nil, errors.New(b.String())
		}
	}
	if next == nil {
		return nil, errors.New("the text is no policy")
	}
	return next, nil
}

// RevisionAfter is the revision with the set.
func (m *MadeSet) RevisionAfter(rev *revision.Revision) *revision.Revision {
	return rev.WithPolicies(m.objects, nil)
}

// Expectations returns the statements that must hold with the set, as a file for rung
// verify.
func (m *MadeSet) Expectations(ctx context.Context, rev *revision.Revision) ([]byte, error) {
	text, err := expectationsOf(ctx, m, rev)
	if err != nil {
		return nil, fmt.Errorf("expectations of %s: %w", m.Name, err)
	}
	return text, ctx.Err()
}
