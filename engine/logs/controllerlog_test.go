package logs

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/sources/kube"
)

// controllerTail answers with the newest lines of a controller, or that there is none.
type controllerTail struct {
	lines []kube.LogLine
	err   error
}

func (f *controllerTail) FindController(_ context.Context, node string, _ []string) (kube.LogTarget, error) {
	return kube.LogTarget{Namespace: "ovn-kubernetes", Pod: "ovnkube-" + node, Container: "ovnkube-controller"}, f.err
}

func (f *controllerTail) Tail(ctx context.Context, find func(context.Context) (kube.LogTarget, error), _ int) (kube.LogTarget, []kube.LogLine, error) {
	t, err := find(ctx)
	return t, f.lines, err
}

func TestControllerLog(t *testing.T) {
	at := time.Date(2026, 11, 3, 14, 5, 0, 0, time.UTC)
	one := model.PolicyKey{Kind: model.KindANP, Name: "one"}
	f := &controllerTail{lines: []kube.LogLine{
		{At: at, Text: "I1103 14:05:00.000001       1 factory.go:12] started"},
		{At: at.Add(1), Text: "E1103 14:05:00.000001       1 admin_network_policy.go:123] Failed to add \x1b[1m one: bad"},
		{At: at.Add(2), Text: "I1103 14:05:00.000001       1 admin_network_policy.go:99] one-more and x.one are others, none.one too"},
		{At: at.Add(3), Text: "  stack of one."},
	}}
	got, err := ReadLines(context.Background(), f, model.Kubectl{Flags: "--context=lab"}, nil, "w", one)
	want := &Log{Zone: "w", Policy: one, Source: "ovn-kubernetes/ovnkube-w/ovnkube-controller", Read: 4, First: at,
		Command: "kubectl --context=lab -n ovn-kubernetes logs ovnkube-w -c ovnkube-controller --tail=2000",
		Lines: []Line{
			{At: at.Add(1), Severity: "error", Place: "admin_network_policy.go:123", Text: "Failed to add \uFFFD[1m one: bad"},
			{At: at.Add(3), Text: "  stack of one."},
		}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	f.err = kube.ErrNoLogPod
	if _, err := ReadLines(context.Background(), f, model.Kubectl{Flags: "--context=lab"}, nil, "w", one); err == nil || !strings.Contains(err.Error(), "zone w") {
		t.Errorf("%v", err)
	}
}

func TestNamesPolicy(t *testing.T) {
	banp := model.PolicyKey{Kind: model.KindBANP, Name: "default"}
	np := model.PolicyKey{Kind: model.KindNP, Namespace: "blue", Name: "web"}
	for _, tt := range []struct {
		key  model.PolicyKey
		text string
		want bool
	}{
		{banp, "syncing default network", false},
		{banp, "Baseline Admin Network Policy default added", true},
		{np, "policy blue/web", true},
		{np, "policy green/web", false},
		{model.PolicyKey{Kind: model.KindANP, Name: "a.b"}, `"a.b".`, true},
		{model.PolicyKey{Kind: model.KindANP, Name: "a"}, "a.b", false},
		{model.PolicyKey{Kind: model.KindANP, Name: "a"}, "name=a", true},
		{model.PolicyKey{Kind: model.KindANP}, "anything", false},
	} {
		if got := newMentionFinder(tt.key)(tt.text); got != tt.want {
			t.Errorf("%s in %q: %v", tt.key, tt.text, got)
		}
	}
}
