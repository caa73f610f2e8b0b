package rewrite

import (
	"maps"
	"math"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/network-policy-api/apis/v1alpha1"
	"sigs.k8s.io/network-policy-api/apis/v1alpha2"
	"sigs.k8s.io/yaml"

	"rung/change"
	"rung/model"
	"rung/model/words"
	"rung/sources/manifests"
)

// WithPlace returns the policy at another priority and, for plugins with their own tiers, in another tier.
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
			spec["priority"] = priority
			if priority == math.Trunc(priority) {
				spec["priority"] = int64(priority) // as decoded JSON has it
			}
			if tier != old.Tiered.Tier { // an unwritten tier stays unwritten
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

// olderFirst refuses changes of single values in a policy of an older form.
const olderFirst = "it is written in an older form; to convert it, press e in the console and save"

const noSuchValue = "this kind has no such value"

// WithAnnotations returns the object with exactly the logging annotations in set.
func WithAnnotations(old *model.Policy, set map[string]string, by manifests.Options) (*model.Policy, []model.Broken) {
	switch o := old.Original.(type) {
	case *v1alpha1.AdminNetworkPolicy, *v1alpha2.ClusterNetworkPolicy, *v1alpha1.BaselineAdminNetworkPolicy:
		c := o.(runtime.Object).DeepCopyObject().(metav1.Object)
		c.SetAnnotations(withAnnotations(c.GetAnnotations(), set))
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

// rewrittenPolicy returns a policy that means the typed object, with old comments and order if possible.
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

// withAnnotations copies the annotations and replaces the logging ones by set; nil if none are left.
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

// TextAsObject reads the text of an object from the history.
func TextAsObject(k model.PolicyKey, text string, by manifests.Options) (*model.Policy, []model.Broken) {
	if k.Kind == model.KindNamespace {
		return readLoggedNamespace(text, k.Name), nil
	}
	return by.ParsePolicy([]byte(text))
}

// readLoggedNamespace reads the text of a LoggedNamespace; nil for another kind or name.
func readLoggedNamespace(text, name string) *model.Policy {
	var o metav1.PartialObjectMetadata
	if yaml.Unmarshal([]byte(text), &o) != nil || o.Kind != string(model.KindNamespace) || o.Name != name {
		return nil
	}
	return model.LoggedNamespace(model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: name}, Annotations: o.Annotations,
		Origin: model.Origin{Item: -1}})
}

// PoliciesOfText returns the policies in a text, valid or not.
func PoliciesOfText(text []byte) map[model.Key]*model.Policy {
	out := map[model.Key]*model.Policy{}
	if len(text) > 0 {
		for _, p := range manifests.Parse("", text, manifests.Options{SkipSchema: true}).Changeable() {
			out[p.Key] = p
		}
	}
	return out
}

// NextVersion returns the next version of an object; fields its author does not set are kept.
func NextVersion(old, now *model.Policy) *model.Policy {
	next := *now
	next.Origin = model.Origin{Item: -1}
	if old != nil {
		next.UID, next.Created = old.UID, old.Created
		next.Origin, next.Conditions = old.Origin, old.Conditions
	}
	return &next
}

// GraftLogging returns the target of an undo with the current logging annotations. It does so only if a
// logging session began or ended since and nothing else changed; otherwise nil.
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
		q, _ := WithAnnotations(p, change.RawLogAnnotations(now), by)
		return q
	}
	if like := as(left); like == nil || !model.SameContent(like, now) {
		return nil
	}
	return as(target)
}

// UnifiedDiff returns the unified diff of two texts under the given names; empty if they are equal.
func UnifiedDiff(oldName, newName, old, now string) string {
	old, now = EndWithNewline(old), EndWithNewline(now)
	s, _ := udiff.ToUnified(oldName, newName, old, udiff.Lines(old, now), udiff.DefaultContextLines) // the edits fit: they come from old
	return s
}

// EndWithNewline ends a non-empty text with a newline, so that a missing one makes no difference.
func EndWithNewline(s string) string {
	if s != "" && !strings.HasSuffix(s, "\n") {
		return s + "\n"
	}
	return s
}

// MergeConflict compares the start of a change with the current text, and merges them if that gives a valid policy.
func MergeConflict(c Conflict) *Conflict {
	c.Diff = UnifiedDiff(c.Key.Label()+" (as it was)", c.Key.Label()+" (now)", c.Base, c.Now)
	// A merge needs all three texts: the object was removed, or the change removes it.
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

// Conflict is a three-way difference between the text a change started from (Base), the current text (Now) and
// the text it wants. Merged is the merge without markers; empty if the two changes touch.
type Conflict struct {
	Key               model.PolicyKey
	Base, Now, Wanted string
	Diff              string // Base → Now
	Merged            string
}
