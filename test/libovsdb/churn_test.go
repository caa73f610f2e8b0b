package libovsdb_test

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/test/given/troubled"
	"rung/test/install"
	"rung/test/ovsdb"
)

// memory is a short folder, without a disk behind it where there is such a thing.
func memory(t testing.TB) string {
	t.Helper()
	base := ""
	if fi, err := os.Stat("/dev/shm"); err == nil && fi.IsDir() {
		base = "/dev/shm"
	}
	dir, err := os.MkdirTemp(base, "rung-lo-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// marker is a namespace without pods that says which state was read.
func marker(state int) string { return fmt.Sprint("state-", state) }

// demoStates are the demo's manifests, and what becomes of them: policies edited,
// gone and new, pods gone, new and with other labels.
func demoStates() []map[string]string {
	demo := map[string]string{}
	names, err := fs.Glob(troubled.Files, "*.yaml")
	if err != nil {
		panic(err) // the pattern above
	}
	for _, name := range names {
		text, err := troubled.Files.ReadFile(name)
		if err != nil {
			panic(err) // it is embedded
		}
		demo[name] = string(text)
	}
	const pods, tier1, tier2 = "03-pods-tenants.yaml", "10-cluster-control.yaml", "30-network-policies.yaml"
	first := maps.Clone(demo)
	delete(first, "13-conflict.yaml")
	first[tier1] = edit(demo[tier1], "priority: 34", "priority: 36")
	first["12-break-glass.yaml"] = edit(edit(demo["12-break-glass.yaml"], `'{"allow":"notice"}'`, `'{"allow":"alert"}'`), "priority: 30", "priority: 12")
	first["14-unsupported.yaml"] = edit(demo["14-unsupported.yaml"], "priority: 120", "priority: 75")
	first[tier2] = edit(edit(demo[tier2], "port: 5432", "port: 5433"), "172.30.9.0/24", "172.30.8.0/24")
	docs := strings.Split(demo[pods], "---\n")
	kept := slices.DeleteFunc(slices.Clone(docs), func(doc string) bool { return strings.Contains(doc, "name: web-f1\n") })
	first[pods] = edit(strings.Join(kept, "---\n"), "    app: db\n", "    app: web\n")
	var more strings.Builder
	for i := range 12 {
		fmt.Fprintf(&more, "---\napiVersion: v1\nkind: Pod\nmetadata: {name: new-%d, namespace: %s, labels: {app: %s}}\n"+
			"spec: {nodeName: %s, containers: [{name: c, image: i, ports: [{name: api, containerPort: 8443}]}]}\nstatus: {phase: Running, podIPs: [{ip: 10.244.9.%d}]}\n",
			i, []string{"blue", "green", "yellow", "restricted"}[i%4], []string{"web", "api", "db"}[i%3], zoneNames[i%3], i+2)
	}
	first["50-new-pods.yaml"] = more.String()
	first["51-new-policy.yaml"] = "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: new}\n" +
		"spec:\n  priority: 33\n  subject: {namespaces: {matchLabels: {tenant: blue}}}\n" +
		"  ingress: [{name: one, action: Pass, from: [{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: web}}}}], ports: [{namedPort: http}]}]\n" +
		"  egress: [{name: out, action: Deny, to: [{networks: [192.0.2.0/24, 198.51.100.0/24]}], ports: [{portRange: {protocol: UDP, start: 100, end: 200}}]}]\n"

	second := maps.Clone(first)
	second[tier1] = demo[tier1]
	second["13-conflict.yaml"] = demo["13-conflict.yaml"]
	second[pods] = demo[pods]
	second["50-new-pods.yaml"] = strings.Join(strings.Split(first["50-new-pods.yaml"], "---\n")[4:], "---\n")
	second["51-new-policy.yaml"] = edit(first["51-new-policy.yaml"], "action: Deny", "action: Allow")
	second[tier2] = strings.Join(strings.Split(demo[tier2], "---\n")[1:], "---\n")

	states := []map[string]string{demo, first, second}
	for i, files := range states {
		files["60-marker.yaml"] = "apiVersion: v1\nkind: Namespace\nmetadata: {name: " + marker(i) + "}\n"
	}
	return states
}

// edit replaces what has to be there.
func edit(text, old, replacement string) string {
	if !strings.Contains(text, old) {
		panic("the demo has no " + old)
	}
	return strings.ReplaceAll(text, old, replacement)
}

// write makes a folder of manifests what files say, file by file, as an editor
// writes them.
func writeFiles(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	there, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range there {
		if _, stays := files[filepath.Base(path)]; !stays {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) { // the marker last
		path := filepath.Join(dir, name)
		if old, err := os.ReadFile(path); err == nil && string(old) == files[name] {
			continue
		}
		temp := filepath.Join(dir, "."+name)
		err := os.WriteFile(temp, []byte(files[name]), 0o600)
		if err == nil {
			err = os.Rename(temp, path)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// churn goes from one state to another by way of many, in each of which some
// objects of both are there. Who it is that reads, and when, is left to chance.
func churn(t testing.TB, dir string, from, to map[string]string, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	for range 12 {
		mixed := map[string]string{}
		for name, text := range from {
			switch other, there := to[name]; {
			case strings.HasPrefix(name, "0") && !strings.Contains(name, "pods"), strings.HasPrefix(name, "60"):
				mixed[name] = text // nodes, namespaces, the marker
			case there && r.IntN(2) == 0:
				mixed[name] = other
			case r.IntN(4) > 0:
				docs := strings.Split(text, "---\n")
				docs = slices.DeleteFunc(docs, func(string) bool { return len(docs) > 1 && r.IntN(5) == 0 })
				mixed[name] = strings.Join(docs, "---\n")
			}
		}
		writeFiles(t, dir, mixed)
		time.Sleep(time.Duration(r.IntN(40)) * time.Millisecond)
	}
	writeFiles(t, dir, to)
}

// compiled are the rows that `rung compile` prints for a zone.
func compiled(t testing.TB, dir, zone string) map[string]ovsdb.Record {
	t.Helper()
	dns := filepath.Join(t.TempDir(), "dns.yaml")
	// What the demo's cluster is configured with (docs/configuration.md).
	if err := os.WriteFile(dns, []byte("mirror.example.com: [192.0.2.80, 198.51.100.80]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// One policy of the demo is refused, and has no rows anywhere.
	cmd := exec.CommandContext(t.Context(), install.Binary(t), "compile", "-f", dir, "--zone", zone, "-o", "json", "--state-dir", t.TempDir(),
		"--cluster-subnets", "10.244.0.0/16", "--dns-addresses", dns, "--allow-unjudged=refused")
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("rung compile: %v", err)
	}
	rows, err := ovsdb.Compiled(text)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 50 {
		t.Fatalf("the demo compiles to %d rows", len(rows))
	}
	return rows
}
