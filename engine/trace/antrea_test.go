package trace_test

import (
	"errors"
	"strings"
	"testing"

	"rung/engine/trace"
	antreademo "rung/examples-antrea"
	"rung/model/verdict"
	"rung/revision"
	"rung/sources/manifests"
	"rung/system"
	"rung/test/made"
	"rung/test/uitest"
)

// Under Antrea the trace names its tiers and its words, and there are no rows to ask.
func TestAntreaTrace(t *testing.T) {
	res, err := manifests.Read(t.Context(), manifests.Options{FS: antreademo.Files, Paths: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	r := revision.New(revision.Facts{Cluster: made.Cluster(res.Objects...)}, nil)
	if r.System != system.Antrea {
		t.Fatalf("the system is %s", r.System.Name)
	}
	tracer := &trace.Tracer{}
	out := ask(t, tracer, r, "shop/client-0 x/a TCP 80")
	if out.Rows != nil || len(out.Disagree) > 0 {
		t.Error("there are rows")
	}
	for text, want := range map[string]string{
		"x/a x/b TCP 8080":                  `denied by ACNP default-cluster-deny egress 0 `,
		"default/client-0 8.8.8.8 TCP 8081": `denied by ACNP allow-self-ns egress 1 `,
	} {
		out := ask(t, tracer, r, text)
		if got := out.Sentence(); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", text, got)
		}
		for _, p := range out.Paths {
			for _, s := range p.Stages {
				for _, l := range s.Lines {
					if l.Tier >= 0 && l.Band == "" {
						t.Errorf("%s: a tier has no name: %+v", text, l.Rule)
					}
				}
			}
		}
	}
	q := verdict.Connection{From: verdict.PodEnd("x", "a"), To: verdict.PodEnd("x", "b"), Protocol: verdict.TCP, Port: 80}
	if _, err := tracer.Ask(r, q, trace.Rows, false, uitest.Now); !errors.Is(err, verdict.ErrQuestion) || !strings.Contains(err.Error(), "Antrea has no OVN rows") {
		t.Errorf("rows were asked: %v", err)
	}
}
