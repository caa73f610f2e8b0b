package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"rung/model"
	"rung/model/words"
	"rung/sources/manifests"
)

// Verb is a way to change an object.
type Verb string

// The ways to change an object.
const (
	VerbCreate Verb = "create"
	VerbUpdate Verb = "update" // PUT of the whole object, with the resourceVersion that was read
	VerbPatch  Verb = "patch"  // JSON patch of one path, with a test of its old value
	VerbDelete Verb = "delete" // with UID and resourceVersion preconditions
	VerbApply  Verb = "apply"  // server-side apply of the whole document
)

// requestTime bounds one request of a change.
const requestTime = 30 * time.Second

// tries bounds the attempts of an update while only the status moves, which controllers of all zones write.
const tries = 4

// PolicyChange is one change of one policy.
type PolicyChange struct {
	Verb Verb
	Key  model.PolicyKey
	// Old is the policy before the change, or nil for a create. New is the one after it, or nil for a delete.
	// New.YAML is the document sent.
	Old, New *model.Policy
	// Unchanged reports whether a live object still means the same as Old.
	Unchanged func(live *model.Policy) bool
	// Force takes over fields owned by other managers (VerbApply).
	Force bool
}

// WriteAnswer is the server's answer to a change.
type WriteAnswer struct {
	// Policy is the stored object, in a dry run the one to store; nil after a delete, or if unreadable.
	Policy   *model.Policy
	Warnings []string // from the server, clean
}

// Policies reads and changes single policies. It is safe for concurrent use.
type Policies struct{ cluster *Cluster }

// Policies returns a client that reads and changes the cluster's policies one at a time.
func (c *Cluster) Policies() *Policies { return &Policies{c} }

func (p *Policies) policyClient(k model.PolicyKey) (dynamic.ResourceInterface, error) {
	r, ok := PolicyResources[k.Kind]
	if !ok {
		return nil, fmt.Errorf("%s is not a policy: %w", k.Label(), model.ErrRejected)
	}
	client := p.cluster.Dynamic()
	if k.Namespace != "" {
		return client.Resource(r).Namespace(k.Namespace), nil
	}
	return client.Resource(r), nil
}

// Get reads the present policy, with the fields that watching leaves out; ErrGone if it does not exist.
func (p *Policies) Get(ctx context.Context, k model.PolicyKey) (*LivePolicy, error) {
	r, err := p.policyClient(k)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	u, err := r.Get(ctx, k.Name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", k.Label(), p.cluster.errorOfChange(k, "", err))
	}
	return p.newLivePolicy(k, u)
}

// MakeChange makes a change; with dryRun the server only checks it. The errors are those of explainWriteError:
// ErrChanged, ErrGone, ErrNoAnswer, *ContestedError, *RejectedError.
func (p *Policies) MakeChange(ctx context.Context, ch PolicyChange, dryRun bool) (*WriteAnswer, error) {
	r, err := p.policyClient(ch.Key)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	ctx, warnings := collectWarnings(ctx)
	u, err := p.requestChange(ctx, r, ch, dryRun)
	if own := (*ContestedError)(nil); ch.Verb == VerbApply && !ch.Force && errors.As(explainWriteError(ch.Key, ch.Verb, err), &own) &&
		own.isOwnConflict() {
		ch.Force = true
		u, err = p.requestChange(ctx, r, ch, dryRun)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", ch.Verb, ch.Key.Label(), p.cluster.errorOfChange(ch.Key, ch.Verb, err))
	}
	w := &WriteAnswer{Warnings: warnings.text}
	if u != nil {
		l, err := p.newLivePolicy(ch.Key, u)
		switch {
		case err == nil:
			w.Policy = l.Policy
		case dryRun:
			return nil, err
		default: // written, although the answer cannot be read
			w.Warnings = append(w.Warnings, words.CleanText(err.Error()))
		}
	}
	return w, nil
}

func (p *Policies) requestChange(ctx context.Context, r dynamic.ResourceInterface, ch PolicyChange,
	dryRun bool) (*unstructured.Unstructured, error) {
	dry := words.Choose(dryRun, []string{metav1.DryRunAll}, nil)
	if ch.Key.Kind == model.KindNamespace && ch.Verb != VerbPatch {
		return nil, fmt.Errorf("only the logging of a namespace can be changed: %w", model.ErrRejected)
	}
	switch ch.Verb {
	case VerbCreate, VerbApply:
		u, err := authoredDocument(ch)
		if err != nil {
			return nil, err
		}
		if ch.Verb == VerbCreate {
			return r.Create(ctx, u, metav1.CreateOptions{DryRun: dry, FieldManager: FieldManager,
				FieldValidation: metav1.FieldValidationStrict})
		}
		if ch.Old != nil && ch.Old.UID != "" {
			// Without the UID, an apply would recreate an object deleted meanwhile.
			u.SetUID(types.UID(ch.Old.UID))
		}
		return r.Patch(ctx, ch.Key.Name, types.ApplyPatchType, mustJSON(u.Object), metav1.PatchOptions{
			DryRun: dry, Force: &ch.Force, FieldManager: FieldManager, FieldValidation: metav1.FieldValidationStrict})
	case VerbPatch:
		ops, err := newPatch(ctx, r, ch)
		if err != nil {
			return nil, err
		}
		return r.Patch(ctx, ch.Key.Name, types.JSONPatchType, mustJSON(ops), metav1.PatchOptions{
			DryRun: dry, FieldManager: FieldManager, FieldValidation: metav1.FieldValidationStrict})
	}
	// Updates and deletes carry the resourceVersion that was read: retry if only the status moved since.
	for try := 1; ; try++ {
		u, err := p.withVersion(ctx, r, ch, dry)
		moved := apierrors.IsConflict(err) && errors.Is(explainWriteError(ch.Key, ch.Verb, err), ErrChanged)
		if err == nil || try == tries || !moved {
			return u, err
		}
	}
}

// withVersion reads the object, checks that the change still fits, and writes or deletes exactly that version.
func (p *Policies) withVersion(ctx context.Context, r dynamic.ResourceInterface, ch PolicyChange,
	dry []string) (*unstructured.Unstructured, error) {
	now, err := r.Get(ctx, ch.Key.Name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	live, err := p.newLivePolicy(ch.Key, now)
	if err != nil {
		return nil, err
	}
	if ch.Old != nil && ch.Old.UID != "" && ch.Old.UID != live.Policy.UID || !ch.Unchanged(live.Policy) {
		return nil, ErrChanged
	}
	if ch.Verb == VerbDelete {
		uid, version := now.GetUID(), now.GetResourceVersion()
		return nil, r.Delete(ctx, ch.Key.Name, metav1.DeleteOptions{DryRun: dry,
			Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &version}})
	}
	if len(live.Unknown) > 0 {
		return nil, fmt.Errorf("this release of Rung does not know its field %s, and would drop it; change it with kubectl: %w", live.Unknown[0],
			model.ErrRejected)
	}
	u, err := live.changedObject(ch)
	if err != nil {
		return nil, err
	}
	return r.Update(ctx, u, metav1.UpdateOptions{DryRun: dry, FieldManager: FieldManager,
		FieldValidation: metav1.FieldValidationStrict})
}

// authoredDocument returns the new policy as its author wrote it.
func authoredDocument(ch PolicyChange) (*unstructured.Unstructured, error) {
	tree, err := manifests.PolicyTree(ch.New)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", model.ErrRejected, err)
	}
	u := &unstructured.Unstructured{Object: tree}
	if ch.Key.Namespace != "" {
		u.SetNamespace(ch.Key.Namespace)
	}
	return u, nil
}

// mustJSON encodes a tree of JSON values, which cannot fail.
func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return b
}

// patchOperation is one operation of a JSON patch (RFC 6902). A test of nil checks that a field is absent.
type patchOperation map[string]any

// newPatch returns the patch of the priority, or of the logging, with tests of the old values.
func newPatch(ctx context.Context, r dynamic.ResourceInterface, ch PolicyChange) ([]patchOperation, error) {
	if ch.Old == nil || ch.New == nil {
		return nil, fmt.Errorf("only an existing object can be patched: %w", model.ErrRejected)
	}
	var all map[string]string
	uid := ch.Old.UID
	if ch.Key.Kind == model.KindNamespace {
		// Only some annotations are known: whether the namespace has others decides the patch's form.
		now, err := r.Get(ctx, ch.Key.Name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		all = now.GetAnnotations()
	} else {
		old, ok := ch.Old.Original.(metav1.Object)
		if !ok {
			return nil, fmt.Errorf("its text cannot be patched: %w", model.ErrRejected)
		}
		all, uid = old.GetAnnotations(), string(old.GetUID())
	}
	var ops []patchOperation
	if uid != "" {
		ops = append(ops, patchOperation{"op": "test", "path": "/metadata/uid", "value": uid})
	}
	if placed := placeOps(ch.Old, ch.New); len(placed) > 0 {
		return append(ops, placed...), nil
	}
	patched := append(annotationOps(ch, len(all) == 0), ruleOps(ch)...)
	if len(patched) == 0 {
		return nil, fmt.Errorf("neither priority nor logging changes: %w", model.ErrRejected)
	}
	return append(ops, patched...), nil
}

// ruleOps changes per-rule logging. It tests whole rules, to leave another rule at this index alone.
func ruleOps(ch PolicyChange) (ops []patchOperation) {
	old, _ := ch.Old.Original.(*unstructured.Unstructured)
	now, _ := ch.New.Original.(*unstructured.Unstructured)
	if ch.Old.Tiered == nil || old == nil || now == nil {
		return nil
	}
	for _, side := range []string{"ingress", "egress"} {
		was, _, _ := unstructured.NestedSlice(old.Object, "spec", side)
		is, _, _ := unstructured.NestedSlice(now.Object, "spec", side)
		if len(was) != len(is) {
			continue
		}
		for i := range was {
			a, _ := was[i].(map[string]any)
			b, _ := is[i].(map[string]any)
			ops = append(ops, rulePatch(fmt.Sprintf("/spec/%s/%d", side, i), a, b)...)
		}
	}
	return ops
}

func rulePatch(at string, was, is map[string]any) (ops []patchOperation) {
	for _, field := range []string{"enableLogging", "logLabel"} {
		old, had := was[field]
		now, has := is[field]
		switch {
		case had == has && old == now:
			continue
		case len(ops) == 0:
			ops = append(ops, patchOperation{"op": "test", "path": at, "value": was})
		}
		op := patchOperation{"op": "remove", "path": at + "/" + field}
		if has {
			op["op"], op["value"] = "add", now // also replaces a value
		}
		ops = append(ops, op)
	}
	return ops
}

// placeOps returns the patch operations that change a policy's priority, and its tier if it names one.
func placeOps(old, now *model.Policy) (ops []patchOperation) {
	set := func(path string, was, is any, there bool) {
		op := patchOperation{"op": "replace", "path": path, "value": is}
		if !there {
			op["op"], was = "add", nil
		}
		ops = append(ops, patchOperation{"op": "test", "path": path, "value": was}, op)
	}
	switch {
	case old.Tiered != nil && now.Tiered != nil:
	case old.Priority != now.Priority:
		set("/spec/priority", old.Priority, now.Priority, true)
		return ops
	default:
		return nil
	}
	if old.Tiered.Priority != now.Tiered.Priority {
		set("/spec/priority", old.Tiered.Priority, now.Tiered.Priority, true)
	}
	if old.Tiered.Tier != now.Tiered.Tier {
		u, _ := old.Original.(*unstructured.Unstructured)
		written, there, _ := unstructured.NestedString(u.Object, "spec", "tier")
		set("/spec/tier", written, now.Tiered.Tier, there)
	}
	return ops
}

// annotationOps returns the patch operations for the logging annotations. They test the level even if only the
// session's record changes, since the record names the former level. none means the object has no annotations
// at all.
func annotationOps(ch PolicyChange, none bool) (ops []patchOperation) {
	const annotations = "/metadata/annotations"
	first := map[string]string{}
	var tests []patchOperation
	for _, name := range model.LoggingAnnotations() {
		at := annotations + "/" + strings.ReplaceAll(name, "/", "~1")
		was, had := ch.Old.RawAnnotation(name)
		will, has := ch.New.RawAnnotation(name)
		if test := (patchOperation{"op": "test", "path": at, "value": nil}); had != has || was != will || name == model.AnnotationLogging {
			if had {
				test["value"] = was
			}
			tests = append(tests, test)
		}
		switch {
		case has && !had && none:
			first[name] = will
		case has && !had:
			ops = append(ops, patchOperation{"op": "add", "path": at, "value": will})
		case has && was != will:
			ops = append(ops, patchOperation{"op": "replace", "path": at, "value": will})
		case had && !has:
			ops = append(ops, patchOperation{"op": "remove", "path": at})
		}
	}
	switch {
	case len(first) > 0:
		return []patchOperation{{"op": "test", "path": annotations, "value": nil}, {"op": "add", "path": annotations, "value": first}}
	case len(ops) == 0:
		return nil
	}
	return append(tests, ops...)
}
