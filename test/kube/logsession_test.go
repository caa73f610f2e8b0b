package kube_test

import (
	"bytes"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/test/kube/cluster"
	"rung/test/wait"
)

// Logging sessions on a real API server with real databases: on by the rows of every zone,
// off by time; after a kill by whatever starts next, or by hand from another machine's state
// folder. The annotations are as before then, byte for byte; what kubectl changed meanwhile
// stays, and that is said.
func TestLogSession(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := start(t, cluster.Config{})
	small(t, c)
	z, err := c.AddZones(ctx, smallNodes...)
	must(t, err)
	r := reconcile(t, c, z, "one")
	const key, record = "k8s.ovn.org/acl-logging", "rung/log-session"
	const odd = "{\"deny\" :  \"info\",\t\"x\": \"\u00e9\u200b\"}\n"
	_, err = c.Kubectl(ctx, cluster.Admin, "", "annotate", "anp", "guard-blue", key+"="+odd)
	must(t, err)
	annotations := func() map[string]map[string]string {
		t.Helper()
		out := map[string]map[string]string{}
		for _, kind := range []string{"anp", "namespace"} {
			name := map[string]string{"anp": "guard-blue", "namespace": "blue"}[kind]
			out[kind] = live(t, c, kind, name).Metadata.Annotations
		}
		return out
	}
	before := annotations()
	asBefore := func(when string) {
		t.Helper()
		if diff := cmp.Diff(before, annotations()); diff != "" {
			t.Errorf("%s (-before +now)\n%s", when, diff)
		}
	}
	asCompiled(t, c, z, smallNodes...)
	quiet := dumped(t, z, "n1")

	// On: the rows of every zone log. Off by time: the reconciler ends it.
	said := change(t, c, "", "log-level", "guard-blue", "namespace/blue", "--deny", "alert", "--for", "open")
	if !strings.Contains(said.out, "with log=true in each zone") || !strings.Contains(said.out, `ANP guard-blue: the session's end restores the annotation`) {
		t.Errorf("%s", said.out)
	}
	asCompiled(t, c, z, smallNodes...)
	if diff := cmp.Diff(quiet, dumped(t, z, "n1")); !strings.Contains(diff, "alert") {
		t.Errorf("no row logs at level alert: %s", diff)
	}
	change(t, c, "", "log-level", "guard-blue", "namespace/blue", "--deny", "alert", "--for", "1s")
	wait.Within(t, patience, "the reconciler ends the sessions", func() bool {
		now := annotations()
		return now["anp"][record] == "" && now["namespace"][record] == ""
	})
	asBefore("ended by time")
	asCompiled(t, c, z, smallNodes...)
	if diff := cmp.Diff(quiet, dumped(t, z, "n1")); diff != "" {
		t.Errorf("rows are not as before: %s", diff)
	}
	r.signal(syscall.SIGTERM)
	wait.Within(t, patience, "rung reconcile ends", func() bool { return !r.running() })

	// Killed: the next start ends it, whatever it is started for, from another state folder.
	cmd := rungCommand(ctx, t, t.TempDir(), on(c, cluster.Admin, "log-level", "guard-blue", "namespace/blue", "--deny", "alert", "--for", "15s", "--wait", "--write", "--yes")...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	must(t, cmd.Start())
	on1 := false
	for end := time.Now().Add(patience); !on1 && time.Now().Before(end); {
		now := annotations()
		on1 = now["anp"][record] != "" && now["namespace"][record] != ""
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if !on1 {
		t.Fatalf("logging was not switched on\n%s", &out)
	}
	home := t.TempDir()
	ended := ""
	wait.Within(t, patience, "the next start ends the sessions", func() bool {
		ended += rungAt(t, home, "", on(c, cluster.Admin, "ladder")...).err
		return strings.Contains(ended, "logging session of ANP guard-blue") && strings.Contains(ended, "logging session of Namespace blue")
	})
	if !strings.Contains(ended, "expired") {
		t.Errorf("%s", ended)
	}
	asBefore("killed")

	// By hand, from another state folder.
	change(t, c, "", "log-level", "guard-blue", "namespace/blue", "--deny", "alert", "--for", "open")
	if r := rung(t, "", on(c, cluster.Admin, "log-level", "--sessions")...); strings.Count(r.out, "switched off") != 2 {
		t.Errorf("%+v", r)
	}
	change(t, c, "", "log-level", "--end")
	asBefore("ended by hand")

	// kubectl changed the level meanwhile: it stays, and that is said.
	change(t, c, "", "log-level", "guard-blue", "--deny", "alert", "--for", "open")
	_, err = c.Kubectl(ctx, cluster.Admin, "", "annotate", "--overwrite", "anp", "guard-blue", key+`={"deny":"debug"}`)
	must(t, err)
	said = change(t, c, "", "log-level", "--end", "guard-blue")
	if !strings.Contains(said.out, `the level of ANP guard-blue was changed meanwhile and is left alone: {"deny":"debug"}`) {
		t.Errorf("%+v", said)
	}
	if now := annotations()["anp"]; now[key] != `{"deny":"debug"}` || now[record] != "" {
		t.Errorf("%v", now)
	}

	// A level that would freeze the policy is refused.
	if r := rung(t, "", on(c, cluster.Admin, "log-level", "guard-blue", "--deny", "LOUD", "--for", "1m", "--write", "--yes")...); r.code != 2 || !strings.Contains(r.err, "would freeze the policy") {
		t.Errorf("%+v", r)
	}
}
