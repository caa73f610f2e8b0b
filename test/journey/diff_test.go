//go:build unix

package journey_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// shop is a folder of workloads: the database lets in the clients of a label, and the web shop's
// shelf may go.
const shop = `apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: shop}
spec: {selector: {matchLabels: {app: api}}, template: {metadata: {labels: {app: api}}, spec: {containers: [{name: c, image: i}]}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec: {selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: {containers: [{name: c, image: i}]}}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: db, namespace: shop}
spec:
  podSelector: {matchLabels: {app: db}}
  ingress: [{from: [{podSelector: {matchLabels: {app: CLIENT}}}], ports: [{port: 5432}]}]
`

// shops are two folders that differ in who may reach the database.
func shops(t *testing.T) (before, after string) {
	t.Helper()
	before, after = short(t), short(t)
	write(t, filepath.Join(before, "shop.yaml"), strings.ReplaceAll(shop, "CLIENT", "web"))
	write(t, filepath.Join(after, "shop.yaml"), strings.ReplaceAll(shop, "CLIENT", "api"))
	return before, after
}

// TestDiff: from the console on a folder of workloads to what differs from another folder, to a
// connection that opens, and to its trace; the same for two folders, and an input that never comes
// is given up with esc.
func TestDiff(t *testing.T) {
	t.Parallel()
	before, after := shops(t)
	pipe := filepath.Join(short(t), "pipe.yaml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	c := open(t, setup{files: []string{after}, args: []string{"--traffic", "0", "--sandbox-ovsdb", "builtin"}, w: 120, h: 34})
	c.at("Ladder").press(":").sees("─ command ─")
	c.Type("diff " + before)
	c.sees("compare it with what is shown here").press("enter").at("diff " + before)
	c.sees("Connections: 1 opens, 1 closes", "Policies: 1 changed", "[connections 2]")
	c.pick("opens", "shop/deployment/api", "shop/statefulset/db", "TCP 5432").sees("before  deny: default deny of shop, ingress")
	c.press("enter").at("trace shop/deployment/api").sees("NP shop/db", "5432").press("esc").at("diff " + before)
	c.press("tab").sees("[policies 1]").pick("changed", "NP shop/db").press("enter").at("NP shop/db").press("esc").at("diff")

	c.press(":").sees("─ command ─")
	c.Type("diff " + after + " " + after)
	c.press("enter").at("diff " + after + " " + after).sees("nothing differs").press("esc")
	c.press(":").sees("─ command ─")
	c.Type("diff " + after + " " + before)
	c.press("enter").at("diff " + after + " " + before).sees("Connections: 1 opens, 1 closes")
	c.press("enter").sees("the console shows " + after).press("esc")

	c.press(":").sees("─ command ─")
	c.Type("diff " + pipe)
	c.press("enter").at("diff " + pipe).sees("reading " + pipe + " · esc stops").press("esc").at("diff " + before)
	c.press(":").sees("─ command ─")
	c.Type("diff git:no-such-revision")
	c.press("enter").at("diff git:no-such-revision").sees("■ git:no-such-revision: ")
	c.quits()
}
