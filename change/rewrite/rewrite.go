package rewrite

import (
	"maps"
	"math"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/network-policy-api/apis/v1alpha1"
	"sigs.k8s.io/network-policy-api/apis/v1alpha2"
	"sigs.k8s.io/yaml"

	"rung/change"
	"rung/model"
	"rung/model/words"
	"rung/sources/manifests"
)

// WithPlace is a policy at another priority, and where policies stand in tiers of their plugin's own in
// that tier.
func WithPlace(old *model.Policy, tier string, priority float64, by manifests.Options) (*model.Policy, []model.Broken) {
	switch o := old.Original.(type) {
	case *v1alpha1.AdminNetworkPolicy:
		c := o.DeepCopy()
		c.Spec.Priority = int32(priority)
		return rewrittenPolicy(old, c, by)
	case *v1alpha2.ClusterNetworkPolicy:
		c := o.DeepCopy()
		c.Spec.Priority = int32(priority)
		return rewrittenPolicy(old, c, by)
	case *unstructured.Unstructured:
		if old.Tiered != nil {
			c := o.DeepCopy()
			spec, _ := c.Object["spec"].(map[string]any)
			spec["priority"] = wholeOrFraction(priority)
			if tier != old.Tiered.Tier { // one that is not written stays so
				spec["tier"] = tier
			}
			return rewrittenPolicy(old, c, by)
		}
	}
	if old.Older != nil {
		return nil, brokenError(old, olderFirst)
	}
	return nil, brokenError(old, noSuchValue)
}

// wholeOrFraction is a number as JSON has it.
func wholeOrFraction(n float64) any {
	if n == math.Trunc(n) {
		return int64(n)
	}
	return n
}

// olderFirst is for a policy in an older form, of which nothing can be changed by itself.
const olderFirst = "it is written in an older form: e opens it in today's form, and writes that"

const noSuchValue = "there is no such value in an object of this kind"

// WithAnnotations is an object that can log with these logging annotations, and no others of
// them.
func WithAnnotations(old *model.Policy, set map[string]string, by manifests.Options) (*model.Policy, []model.Broken) {
	switch o := old.Original.(type) {
	case *v1alpha1.AdminNetworkPolicy:
		c := o.DeepCopy()
		c.Annotations = withAnnotations(c.Annotations, set)
		return rewrittenPolicy(old, c, by)
	case *v1alpha2.ClusterNetworkPolicy:
		c := o.DeepCopy()
		c.Annotations = withAnnotations(c.Annotations, set)
		return rewrittenPolicy(old, c, by)
	case *v1alpha1.BaselineAdminNetworkPolicy:
		c := o.DeepCopy()
		c.Annotations = withAnnotations(c.Annotations, set)
		return rewrittenPolicy(old, c, by)
	}
	switch {
	case old.Older != nil:
		return nil, brokenError(old, olderFirst)
	case old.Tiered != nil:
		return withTree(old, old.Original.(*unstructured.Unstructured).DeepCopy().Object, set, by)
	case old.Kind != model.KindNamespace:
		return nil, brokenError(old, noSuchValue)
	}
	m := old.Meta
	m.Annotations = set
	return model.LoggedNamespace(m), nil
}

// rewrittenPolicy is the policy as its typed object says, with what differs changed in its own
// text, so that comments and order stay; where that cannot be done, in a text made anew.
func rewrittenPolicy(old *model.Policy, typed metav1.Object, by manifests.Options) (*model.Policy, []model.Broken) {
	next, bad, err := manifests.RewritePolicy(old, typed, by)
	if err != nil {
		return nil, brokenError(old, err.Error())
	}
	return next, bad
}

func brokenError(p *model.Policy, why string) []model.Broken {
	return []model.Broken{{Severity: model.SeverityError, Origin: p.Origin, Key: p.Key,
		Code: manifests.CodeProfile, Message: words.CleanText(why)}}
}

// withAnnotations are annotations with the logging ones replaced by those of set, in a map
// of its own; nil for none at all.
func withAnnotations(in, set map[string]string) map[string]string {
	out := map[string]string{}
	maps.Copy(out, in)
	for _, name := range model.LoggingAnnotations() {
		delete(out, name)
	}
	maps.Copy(out, set)
	if len(out) == 0 {
		return nil
	}
	return out
}

// TextAsObject reads the text of an object that the history keeps.
func TextAsObject(k model.PolicyKey, text string, by manifests.Options) (*model.Policy, []model.Broken) {
	if k.Kind == model.KindNamespace {
		return readLoggedNamespace(text, k.Name), nil
	}
	return by.ParsePolicy([]byte(text))
}

// readLoggedNamespace reads the text of a LoggedNamespace; nil where it is none of that name.
func readLoggedNamespace(text, name string) *model.Policy {
	var o metav1.PartialObjectMetadata
	if yaml.Unmarshal([]byte(text), &o) != nil || o.Kind != string(model.KindNamespace) || o.Name != name {
		return nil
	}
	return model.LoggedNamespace(model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: name}, Annotations: o.Annotations,
		Origin: model.Origin{Item: -1}})
}

// PoliciesOfText are the policies of a text, valid or not.
func PoliciesOfText(text []byte) map[model.Key]*model.Policy {
	out := map[model.Key]*model.Policy{}
	if len(text) > 0 {
		for _, p := range manifests.Parse("", text, manifests.Options{SkipSchema: true}).Changeable() {
			out[p.Key] = p
		}
	}
	return out
}

// NextVersion is the next version of an object: what its author does not decide stays.
func NextVersion(old, now *model.Policy) *model.Policy {
	next := *now
	next.Origin = model.Origin{Item: -1}
	if old != nil {
		next.UID, next.Created = old.UID, old.Created
		next.Origin, next.Conditions = old.Origin, old.Conditions
	}
	return &next
}

// GraftLogging gives what an undo restores the logging annotations that are there now, where a
// logging session began or ended since and nothing else changed: it is not what the undo
// is about.
func GraftLogging(now, left, target *model.Policy, by manifests.Options) *model.Policy {
	if now == nil || left == nil || target == nil || now.Kind == model.KindNamespace {
		return nil
	}
	_, a := now.LogSession()
	_, b := left.LogSession()
	if !a && !b {
		return nil
	}
	as := func(p *model.Policy) *model.Policy {
		if p.Tiered != nil {
			return graftRules(p, now, by)
		}
		q, _ := WithAnnotations(p, change.AnnotationsOf(now), by)
		return q
	}
	if like := as(left); like == nil || !model.SameContent(like, now) {
		return nil
	}
	return as(target)
}

// UnifiedDiff is the unified diff of two texts with the names before them, empty
// when they are equal.
func UnifiedDiff(oldName, newName, old, now string) string {
	old, now = EndWithNewline(old), EndWithNewline(now)
	s, err := udiff.ToUnified(oldName, newName, old, udiff.Lines(old, now), udiff.DefaultContextLines)
	if err != nil {
		// The edits come from the same text, so they fit; should they not, the
		// whole texts are shown.
		return "--- " + oldName + "\n" + old + "+++ " + newName + "\n" + now
	}
	return s
}

// EndWithNewline ends a text that is not empty with a newline, so that texts that differ
// in nothing else do not differ.
func EndWithNewline(s string) string {
	if s != "" && !strings.HasSuffix(s, "\n") {
		return s + "\n"
	}
	return s
}

// MergeConflict compares what a change started from with what is there now. A merged text
// is offered where that is a valid policy of the same key.
func MergeConflict(c Conflict) *Conflict {
	c.Diff = UnifiedDiff(c.Key.Label()+" (as it was)", c.Key.Label()+" (now)", c.Base, c.Now)
	// Without all three texts there is nothing to merge: the object was
	// removed, or the change removes it.
	if c.Base == "" || c.Now == "" || c.Wanted == "" {
		return &c
	}
	if text, ok := manifests.MergeTexts(EndWithNewline(c.Base), EndWithNewline(c.Now), EndWithNewline(c.Wanted)); ok {
		if p, _ := manifests.ParsePolicy([]byte(text)); p != nil && p.Key == c.Key && len(p.Invalid) == 0 {
			c.Merged = text
		}
	}
	return &c
}

// Conflict is a three-way difference: what the change started from, what is
// there now, what it wants; Merged is the merge without conflict markers when
// the two changes do not touch, empty otherwise.
type Conflict struct {
	Key               model.PolicyKey
	Base, Now, Wanted string
	Diff              string // Base → Now
	Merged            string
}
