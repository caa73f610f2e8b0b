package kube_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"rung/test/install"
	"rung/test/kube/cluster"
	"rung/test/wait"
)

const (
	askLimit    = 6 * time.Second // of one request of the editor
	mostANPs    = 9               // the ladder stays on one screen
	mostPods    = 12
	editorPause = 250 * time.Millisecond
)

var (
	podsGVR       = corev1.SchemeGroupVersion.WithResource("pods")
	namespacesGVR = corev1.SchemeGroupVersion.WithResource("namespaces")
)

// thing is an object the editor changes, and what it knows of it.
type thing struct {
	gvr             schema.GroupVersionResource
	namespace, name string

	// acknowledged is the last state that the API server confirmed; empty: none,
	// or that it is gone.
	acknowledged string
	// unsure says that a later request had no answer: it may still take effect.
	unsure bool
	// last is the object as it was last answered, nil when there was none.
	last *unstructured.Unstructured
}

// randomEditor changes policies, pods and labels at random and keeps account of what
// was acknowledged. Every update and delete carries the version that was read, so
// that a request without an answer cannot take effect after a later change.
type randomEditor struct {
	t      *testing.T
	c      *cluster.Cluster
	rand   *rand.Rand
	home   string
	things map[string]*thing
	next   int // number of the next new object

	acknowledged, unanswered, refused, byRung int
	lost                                      []string // changes that were acknowledged and are not there
}

func newEditor(t *testing.T, c *cluster.Cluster, seed uint64) *randomEditor {
	e := &randomEditor{t: t, c: c, rand: rand.New(rand.NewPCG(seed, 2)), home: t.TempDir(), things: map[string]*thing{}}
	for _, ns := range []string{"blue", "red"} {
		e.adopt(&thing{gvr: namespacesGVR, name: ns})
	}
	return e
}

// adopt begins to keep account of an object that is there.
func (e *randomEditor) adopt(x *thing) {
	o, err := e.client(x).Get(e.t.Context(), x.name, metav1.GetOptions{})
	must(e.t, err)
	x.acknowledged = essence(o)
	e.things[x.gvr.Resource+" "+x.namespace+"/"+x.name] = x
}

func (e *randomEditor) client(x *thing) dynamic.ResourceInterface {
	if x.namespace == "" {
		return e.c.Any.Resource(x.gvr)
	}
	return e.c.Any.Resource(x.gvr).Namespace(x.namespace)
}

// essence is what the editor sets of an object.
func essence(o *unstructured.Unstructured) string {
	m := map[string]any{"labels": o.GetLabels()}
	switch o.GetKind() {
	case "AdminNetworkPolicy":
		m["spec"], m["log"] = o.Object["spec"], o.GetAnnotations()["k8s.ovn.org/acl-logging"]
	case "Pod":
		m["ip"], _, _ = unstructured.NestedString(o.Object, "status", "podIP")
	}
	text, _ := json.Marshal(m) // of a decoded object
	return string(text)
}

// run makes changes until ctx ends. A failing request is an answer like another.
func (e *randomEditor) run(ctx context.Context) {
	for ctx.Err() == nil {
		e.step(ctx)
		select {
		case <-ctx.Done():
		case <-time.After(editorPause):
		}
	}
}

func (e *randomEditor) step(ctx context.Context) {
	policies, pods := e.there(anps), e.there(podsGVR)
	switch n := e.rand.IntN(100); {
	case n < 18 && len(policies) < mostANPs || len(policies) == 0:
		e.next++
		e.change(ctx, &thing{gvr: anps, name: fmt.Sprintf("p-%d", e.next)}, e.policy)
	case n < 45:
		e.change(ctx, pick(e.rand, policies), e.policy)
	case n < 55:
		e.remove(ctx, pick(e.rand, policies))
	case n < 60:
		e.byRungItself(ctx, pick(e.rand, policies))
	case n < 75 && len(pods) < mostPods || len(pods) == 0:
		e.next++
		e.change(ctx, &thing{gvr: podsGVR, namespace: []string{"blue", "red"}[e.rand.IntN(2)], name: fmt.Sprintf("x-%d", e.next)}, e.pod)
	case n < 85:
		e.change(ctx, pick(e.rand, pods), e.pod)
	case n < 93:
		e.remove(ctx, pick(e.rand, pods))
	default:
		e.change(ctx, pick(e.rand, e.there(namespacesGVR)), func(o *unstructured.Unstructured) {
			l := maps.Clone(o.GetLabels())
			l["step"] = strconv.Itoa(e.rand.IntN(1000))
			l["tenant"] = []string{"blue", "red", "green"}[e.rand.IntN(3)]
			o.SetLabels(l)
		})
	}
}

// there are the objects that are, or may be, in the cluster, by name: the order
// of a map must not decide what a seed does.
func (e *randomEditor) there(gvr schema.GroupVersionResource) (out []*thing) {
	for _, key := range slices.Sorted(maps.Keys(e.things)) {
		if x := e.things[key]; x.gvr == gvr && (x.acknowledged != "" || x.unsure) {
			out = append(out, x)
		}
	}
	return out
}

func pick(r *rand.Rand, list []*thing) *thing { return list[r.IntN(len(list))] }

// change creates the object, or reads and updates it.
func (e *randomEditor) change(ctx context.Context, x *thing, alter func(*unstructured.Unstructured)) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	var o *unstructured.Unstructured
	var err error
	if x.last != nil && e.rand.IntN(2) == 0 {
		o = x.last.DeepCopy() // without a look: also into a server that has just gone
	} else if o, err = e.read(ctx, x); err != nil {
		return
	}
	client := e.client(x)
	if o == nil {
		o = &unstructured.Unstructured{Object: map[string]any{}}
		o.SetName(x.name)
		o.SetNamespace(x.namespace)
		alter(o)
		e.things[x.gvr.Resource+" "+x.namespace+"/"+x.name] = x
		o, err = client.Create(ctx, o, metav1.CreateOptions{FieldManager: "editor"})
	} else {
		alter(o)
		o, err = client.Update(ctx, o, metav1.UpdateOptions{FieldManager: "editor"})
	}
	if !e.answered(x, o, err) || x.gvr != podsGVR {
		return
	}
	if ip, _, _ := unstructured.NestedString(o.Object, "status", "podIP"); ip == "" {
		e.status(ctx, x, o)
	}
}

// status lets a new pod run.
func (e *randomEditor) status(ctx context.Context, x *thing, o *unstructured.Unstructured) {
	number, _ := strconv.Atoi(strings.TrimPrefix(x.name, "x-"))
	at := 1 + slices.Index(smallNodes, o.Object["spec"].(map[string]any)["nodeName"].(string))
	ip := fmt.Sprintf("10.244.%d.%d", at, 20+number%200)
	o.Object["status"] = map[string]any{"phase": "Running", "podIP": ip, "podIPs": []any{map[string]any{"ip": ip}}}
	o, err := e.client(x).UpdateStatus(ctx, o, metav1.UpdateOptions{FieldManager: "editor"})
	e.answered(x, o, err)
}

// read gets the object, nil when there is none, and holds it against what was
// acknowledged.
func (e *randomEditor) read(ctx context.Context, x *thing) (*unstructured.Unstructured, error) {
	o, err := e.client(x).Get(ctx, x.name, metav1.GetOptions{})
	now := ""
	switch {
	case err == nil:
		now = essence(o)
	case apierrors.IsNotFound(err):
		o = nil
	default:
		return nil, err
	}
	if !x.unsure && now != x.acknowledged {
		e.lost = append(e.lost, fmt.Sprintf("%s %s: acknowledged was %q, there is %q", x.gvr.Resource, x.name, x.acknowledged, now))
		x.acknowledged = now
	}
	return o, nil
}

// answered takes account of what a request came to.
func (e *randomEditor) answered(x *thing, o *unstructured.Unstructured, err error) bool {
	var status apierrors.APIStatus
	switch {
	case err == nil:
		e.acknowledged++
		x.unsure, x.acknowledged, x.last = false, "", o
		if o != nil {
			x.acknowledged = essence(o)
		}
	case errors.As(err, &status) && slices.Contains([]metav1.StatusReason{metav1.StatusReasonConflict, metav1.StatusReasonAlreadyExists,
		metav1.StatusReasonNotFound, metav1.StatusReasonInvalid, metav1.StatusReasonForbidden}, status.Status().Reason):
		e.refused++
	default:
		e.unanswered++
		x.unsure = true
	}
	return err == nil
}

// remove deletes what it read and nothing newer.
func (e *randomEditor) remove(ctx context.Context, x *thing) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	o, err := e.read(ctx, x)
	if err != nil || o == nil {
		return
	}
	now, uid, version := int64(0), o.GetUID(), o.GetResourceVersion()
	err = e.client(x).Delete(ctx, x.name, metav1.DeleteOptions{GracePeriodSeconds: &now,
		Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &version}})
	e.answered(x, nil, err)
}

// byRungItself moves a policy by the command: its exit code 0 is an
// acknowledgement, too.
func (e *randomEditor) byRungItself(ctx context.Context, x *thing) {
	priority := 1 + e.rand.IntN(98)
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, install.Binary(e.t), on(e.c, cluster.Admin, "move", x.name, strconv.Itoa(priority), "--write", "--yes",
		"--confirm-name", x.name, "--state-dir", filepath.Join(e.home, "state"))...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + e.home}
	if _, err := e.read(ctx, x); err != nil {
		return
	}
	was := x.acknowledged
	_, err := cmd.CombinedOutput()
	x.unsure = true // until it was read
	if err != nil {
		e.unanswered++
		return
	}
	var o map[string]any
	if json.Unmarshal([]byte(was), &o) != nil {
		return
	}
	e.acknowledged, e.byRung = e.acknowledged+1, e.byRung+1
	o["spec"].(map[string]any)["priority"] = priority
	text, _ := json.Marshal(o) // of a decoded object
	x.acknowledged, x.unsure = string(text), false
}

// settle waits for the end of what is not known, when all is quiet: a version
// that is read and written again leaves no room for an old request.
func (e *randomEditor) settle(ctx context.Context) {
	for _, key := range slices.Sorted(maps.Keys(e.things)) {
		x := e.things[key]
		if x.gvr == podsGVR {
			// A pod without an address is one whose second request was lost.
			if o, err := e.read(ctx, x); err == nil && o != nil && !strings.Contains(essence(o), "10.244.") {
				e.status(ctx, x, o)
			}
		}
		wait.Within(e.t, patience, "settled: "+key, func() bool {
			if !x.unsure {
				return true
			}
			o, err := e.read(ctx, x)
			if err == nil && o == nil {
				x.unsure, x.acknowledged = false, ""
				return true
			}
			if err != nil {
				return false
			}
			a := maps.Clone(o.GetAnnotations())
			if a == nil {
				a = map[string]string{}
			}
			a["settled"] = "yes"
			o.SetAnnotations(a)
			o, err = e.client(x).Update(ctx, o, metav1.UpdateOptions{FieldManager: "editor"})
			return e.answered(x, o, err)
		})
	}
	for _, x := range e.things {
		_, err := e.read(ctx, x) // notes what is lost
		must(e.t, err)
	}
}
