package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rung/cli/command"
	"rung/sources/sandbox"
	"rung/test/install"
)

// What keeps a probe from being sent is said before anything is started.
func TestProbeRefuses(t *testing.T) {
	noLeaks(t)
	dir := clusterCopy(t)
	cases := filepath.Join(t.TempDir(), "cases.json")
	if err := os.WriteFile(cases, []byte(`[{"from":"a/b","to":"c/d","protocol":"TCP"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"--to is missing":                               {"--from", "blue/a", "-f", dir},
		"case 0: cannot ask: TCP needs a port":          {"--cases", cases, "-f", dir},
		"packets are only sent in a sandbox":            {"--from", "blue/a", "--to", "red/b", "--port", "80", "-f", dir, "--nb", "unix:/none"},
		"--sandbox-ovn off: a probe needs OVN":          {"--from", "blue/a", "--to", "red/b", "--port", "80", "-f", dir, "--sandbox-ovn", "off"},
		"--cases has the questions: leave the ends out": {"--from", "blue/a", "--cases", cases, "-f", dir},
	} {
		var out, errs bytes.Buffer
		code := runUntil(t.Context(), append([]string{"probe", "--state-dir", t.TempDir()}, args...), strings.NewReader(""), &out, &errs, nil)
		if code != command.ExitFailed || !strings.Contains(errs.String(), want) {
			t.Errorf("%v: exit %d, %q, want %q", args, code, errs.String(), want)
		}
	}
}

// On real OVN `rung probe` says what became of packets, as a sentence and as JSON, and its
// cases are answered in order.
func TestProbe(t *testing.T) {
	install.OVN(t, sandbox.FindTools)
	noLeaks(t)
	place := os.Getenv(install.OVNVar)
	if place == "" {
		place = "auto"
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../test/given/troubled")); err != nil {
		t.Fatal(err)
	}
	probe := func(want int, stdin string, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		args = append([]string{"probe", "-f", dir, "--sandbox-ovn", place, "--sandbox-dir", shortDir(t), "--state-dir", t.TempDir()}, args...)
		if code := runUntil(t.Context(), args, strings.NewReader(stdin), &out, &errs, nil); code != want {
			t.Fatalf("%v: exit %d: %s", args, code, errs.String())
		}
		return out.String()
	}
	text := probe(command.ExitOK, "", "--from", "green/db-h0", "--to", "yellow/web-f1", "--port", "80")
	for _, want := range []string{"green/db-h0 → yellow/web-f1 tcp 80: dropped · rows and policies agree",
		`ANP cluster-control egress 5 "default-deny": Deny  the same  the same`, "SYN     ovn-worker2  green_db-h0  –    dropped"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	var got []struct {
		Verdict, From string
		Policies      struct{ Verdict string }
		Rows          struct{ Verdict string }
		Packets       []struct {
			Packet    string
			Delivered bool
		}
		Findings      []any
		NotConsidered []struct{ Name string } `json:"not_considered"`
	}
	text = probe(command.ExitFailed, `[{"from":"green/db-h0","to":"yellow/web-f1","protocol":"TCP","port":80},
		{"from":"blue/api-d0","to":"node/ovn-worker","protocol":"tcp","port":6443}]`, "--cases", "-", "-o", "json")
	if err := json.Unmarshal([]byte(text), &got); err != nil || len(got) != 2 {
		t.Fatalf("%v: %s", err, text)
	}
	values, err := readValues(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compareRecorded(t, "testdata/json", "probe", recordedAnswer{"rung probe --cases - -f examples", command.ExitFailed, values})
	// What the demo has refused stands below what denies the first, and could deny the second.
	if a, b := got[0].NotConsidered, got[1].NotConsidered; len(a) > 0 || len(b) == 0 || b[0].Name != "old-form" {
		t.Errorf("not considered: %v and %v", a, b)
	}
	if a, b := got[0], got[1]; a.Verdict != "deny" || a.Rows.Verdict != "deny" || a.Policies.Verdict != "deny" || len(a.Packets) != 1 ||
		b.Verdict != "allow" || len(b.Packets) != 3 || b.Packets[1].Packet != "SYN-ACK" || !b.Packets[2].Delivered || b.Findings == nil {
		t.Errorf("%+v", got)
	}
}

// Pods of OVN-Kubernetes' default range reach each other across nodes, whether nodes say their subnets, the flag says the
// range, or neither does.
func TestProbeOtherRange(t *testing.T) {
	install.OVN(t, sandbox.FindTools)
	noLeaks(t)
	place := cmp.Or(os.Getenv(install.OVNVar), "auto")
	for name, with := range map[string]struct {
		subnets bool
		flags   []string
	}{
		"subnets of nodes":              {true, nil},
		"subnets of nodes, and a flag":  {true, []string{"--cluster-subnets", "10.128.0.0/14"}},
		"nodes without subnets":         {false, nil},
		"no subnets of nodes, but flag": {false, []string{"--cluster-subnets", "10.128.0.0/14"}},
	} {
		var text strings.Builder
		text.WriteString("apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n")
		for _, n := range []struct{ node, subnet, pod, ip string }{{"east", "10.128.2.0/23", "till", "10.128.3.5"}, {"west", "10.131.254.0/23", "stock", "10.131.255.6"}} {
			fmt.Fprintf(&text, "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: %s\n", n.node)
			if with.subnets {
				fmt.Fprintf(&text, "  annotations: {k8s.ovn.org/node-subnets: '{\"default\":[\"%s\"]}'}\n", n.subnet)
			}
			fmt.Fprintf(&text, `---
apiVersion: v1
kind: Pod
metadata: {name: %s, namespace: shop}
spec: {nodeName: %s, containers: [{name: c, image: x}]}
status: {phase: Running, podIP: %s, podIPs: [{ip: %s}]}
`, n.pod, n.node, n.ip, n.ip)
		}
		path := filepath.Join(t.TempDir(), "cluster.yaml")
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		args := append([]string{"probe", "shop/till", "shop/stock", "80", "-f", path, "--sandbox-ovn", place, "--sandbox-dir", shortDir(t), "--state-dir", t.TempDir()}, with.flags...)
		code := runUntil(t.Context(), args, strings.NewReader(""), &out, &errs, nil)
		// The packet leaves by the way to other nodes, not by the way out of the cluster.
		if code != command.ExitOK || !strings.Contains(out.String(), "shop/till → shop/stock tcp 80: delivered · rows and policies agree") ||
			!strings.Contains(out.String(), "elsewhere-east  delivered") || strings.Contains(out.String(), "outside-") {
			t.Errorf("%s: exit %d\n%s%s", name, code, out.String(), errs.String())
		}
	}
}
