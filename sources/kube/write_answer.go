package kube

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"rung/model"
	"rung/model/words"
	"rung/sources/manifests"
)

// LivePolicy is a policy as stored by the API server.
type LivePolicy struct {
	Policy *model.Policy
	// Unknown lists fields of its spec that Rung does not know: the installed CRD is newer.
	Unknown []string

	raw     *unstructured.Unstructured // without managedFields
	managed []metav1.ManagedFieldsEntry
}

// newLivePolicy converts an answer of the server to Rung's form.
func (p *Policies) newLivePolicy(k model.PolicyKey, u *unstructured.Unstructured) (*LivePolicy, error) {
	l := &LivePolicy{raw: u, managed: u.GetManagedFields()}
	if k.Kind == model.KindNamespace {
		l.Policy = model.LoggedNamespace(model.Meta{Key: k, UID: words.CleanText(string(u.GetUID())),
			Version: words.CleanText(u.GetResourceVersion()),
			Created: u.GetCreationTimestamp().Time, Annotations: u.GetAnnotations(),
			Origin: model.Origin{Source: p.cluster.Context(), Item: -1}})
		return l, nil
	}
	o, broken := manifests.NewTyped(p.cluster.Context()).ReadObject(u, nil)
	if o != nil {
		l.Policy = manifests.WrittenPolicy(o)
	}
	if l.Policy == nil {
		why := "it is not a policy"
		if len(broken) > 0 {
			why = broken[0].Message
		}
		return nil, fmt.Errorf("%s as stored in the API server cannot be parsed: %s", k.Label(), words.CleanText(why))
	}
	l.Policy.Version = words.CleanText(u.GetResourceVersion())
	for _, b := range broken {
		if b.Code == manifests.CodeUnknown {
			l.Unknown = append(l.Unknown, b.Field)
		}
	}
	return l, nil
}

// lastApplied is kubectl's own record of the object. Rung never shows it, so no edit means to remove it.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// changedObject returns the live object with the change. Fields set by the author are replaced as a whole,
// since they still match the start of the change. All others, such as status, uid and kubectl's record, stay.
func (l *LivePolicy) changedObject(ch PolicyChange) (*unstructured.Unstructured, error) {
	want, err := manifests.PolicyTree(ch.New)
	if err != nil {
		return nil, err
	}
	was, err := manifests.PolicyTree(l.Policy)
	if err != nil {
		return nil, err
	}
	u := l.raw.DeepCopy()
	u.Object["spec"] = want["spec"]
	md, _ := u.Object["metadata"].(map[string]any)
	wantMeta, _ := want["metadata"].(map[string]any)
	wasMeta, _ := was["metadata"].(map[string]any)
	for _, f := range []string{"labels", "annotations", "finalizers", "ownerReferences"} {
		if equality.Semantic.DeepEqual(wantMeta[f], wasMeta[f]) {
			continue
		}
		record, has := "", false
		if f == "annotations" {
			record, has = u.GetAnnotations()[lastApplied]
		}
		if v, ok := wantMeta[f]; ok {
			md[f] = v
		} else {
			delete(md, f)
		}
		if has {
			if err := unstructured.SetNestedField(u.Object, record, "metadata", "annotations", lastApplied); err != nil {
				return nil, fmt.Errorf("keep kubectl's record: %w", err)
			}
		}
	}
	return u, nil
}

// maxWarnings bounds the warnings kept per request.
const maxWarnings = 20

type warningsKey struct{}

// warningList are the server's warnings about one request.
type warningList struct {
	mu   sync.Mutex
	text []string
}

// collectWarnings makes a context that collects the warnings of its requests; read them afterwards.
func collectWarnings(ctx context.Context) (context.Context, *warningList) {
	w := &warningList{}
	return context.WithValue(ctx, warningsKey{}, w), w
}

// warningCollector passes the server's warnings (code 299) to their request. Like client-go, it logs the
// warnings of requests that do not collect them.
type warningCollector struct{}

var _ rest.WarningHandlerWithContext = warningCollector{}

// HandleWarningHeaderWithContext keeps the text of a warning.
func (warningCollector) HandleWarningHeaderWithContext(ctx context.Context, code int, agent string, text string) {
	w, ok := ctx.Value(warningsKey{}).(*warningList)
	switch {
	case !ok:
		rest.WarningLogger{}.HandleWarningHeaderWithContext(ctx, code, agent, shown(text))
	case code == 299 && text != "":
		w.mu.Lock()
		defer w.mu.Unlock()
		text = shown(text)
		if len(w.text) < maxWarnings && !slices.Contains(w.text, text) {
			w.text = append(w.text, text)
		}
	}
}
