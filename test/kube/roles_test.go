package kube_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"rung/test/install"
	"rung/test/kube/cluster"
	"rung/test/wait"
)

// permission is one verb on one resource, as a role of deploy/00-rbac.yaml gives it.
type permission struct {
	namespace string // "" is a ClusterRole's
	verb      string
	group     string
	resource  string // with its subresource: adminnetworkpolicies/status
	names     string // the only objects that it is for, with commas
}

func (p permission) String() string {
	where := ""
	if p.namespace != "" {
		where = " in " + p.namespace
	}
	return p.verb + " " + strings.TrimSuffix(p.resource+"."+p.group, ".") + where
}

// permissionsIn are those of the roles in a file of the project whose names begin so.
func permissionsIn(t *testing.T, name, file string) (out []permission) {
	t.Helper()
	root, err := install.Root()
	must(t, err)
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	must(t, err)
	docs := regexp.MustCompile("(?s)apiVersion: rbac.*?(\n---\n|\n```|$)").FindAllString(string(text), -1)
	for _, doc := range docs {
		doc = strings.TrimRight(doc, "-`\n")
		var role rbacv1.ClusterRole
		must(t, yaml.Unmarshal([]byte(doc), &role))
		if !strings.HasPrefix(role.Name, name) {
			continue
		}
		for _, r := range role.Rules {
			for _, group := range r.APIGroups {
				for _, resource := range r.Resources {
					for _, verb := range r.Verbs {
						out = append(out, permission{role.Namespace, verb, group, resource, strings.Join(r.ResourceNames, ",")})
					}
				}
			}
		}
	}
	return out
}

// grant makes a user who may do this and nothing else. What is given in the namespace rung is
// given in one with the user's name.
func grant(t *testing.T, c *cluster.Cluster, user string, all []permission) {
	t.Helper()
	ctx := t.Context()
	must(t, c.AddUser(user))
	must(t, c.AddNamespace(ctx, user))
	rules := map[string][]rbacv1.PolicyRule{}
	for _, p := range all {
		r := rbacv1.PolicyRule{Verbs: []string{p.verb}, APIGroups: []string{p.group}, Resources: []string{p.resource}}
		if p.names != "" {
			r.ResourceNames = strings.Split(p.names, ",")
		}
		rules[p.namespace] = append(rules[p.namespace], r)
	}
	subject := []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}}
	for namespace, rules := range rules {
		meta := metav1.ObjectMeta{Name: user, Namespace: namespace}
		if namespace == "rung" {
			meta.Namespace = user
		}
		var err error
		if namespace == "" {
			_, err = c.Client.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: meta, Rules: rules}, metav1.CreateOptions{})
			must(t, err)
			_, err = c.Client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: meta, Subjects: subject,
				RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: user}}, metav1.CreateOptions{})
			must(t, err)
			awaitAccess(t, c, user, namespace, rules[0])
			continue
		}
		_, err = c.Client.RbacV1().Roles(meta.Namespace).Create(ctx, &rbacv1.Role{ObjectMeta: meta, Rules: rules}, metav1.CreateOptions{})
		must(t, err)
		_, err = c.Client.RbacV1().RoleBindings(meta.Namespace).Create(ctx, &rbacv1.RoleBinding{ObjectMeta: meta, Subjects: subject,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: user}}, metav1.CreateOptions{})
		must(t, err)
		awaitAccess(t, c, user, meta.Namespace, rules[0])
	}
}

// awaitAccess waits until the API server, which watches roles like any other client, applies the role.
func awaitAccess(t *testing.T, c *cluster.Cluster, user, namespace string, rule rbacv1.PolicyRule) {
	t.Helper()
	attributes := &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: rule.Verbs[0], Group: rule.APIGroups[0]}
	attributes.Resource, attributes.Subresource, _ = strings.Cut(rule.Resources[0], "/")
	if len(rule.ResourceNames) > 0 {
		attributes.Name = rule.ResourceNames[0]
	}
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: attributes}}
	if !wait.Poll(patience, func() bool {
		answer, err := c.Client.AuthorizationV1().SubjectAccessReviews().Create(t.Context(), review, metav1.CreateOptions{})
		must(t, err)
		return answer.Status.Allowed
	}) {
		t.Fatalf("the API server does not apply the role of %s in namespace %q", user, namespace)
	}
}

// audit is the log of an API server's answers.
type audit string

// newAudit returns an audit log, and the options of an API server that writes it.
func newAudit(t *testing.T) (audit, []string) {
	t.Helper()
	dir := t.TempDir()
	policy, log := filepath.Join(dir, "policy.yaml"), filepath.Join(dir, "audit.log")
	must(t, os.WriteFile(policy, []byte(`{"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"], "rules": [{"level": "Metadata"}]}`), 0o600))
	return audit(log), []string{"--audit-policy-file", policy, "--audit-log-path", log}
}

// request is what a user asked the API server.
type request struct {
	permission
	code int
}

// of returns what a user asked, each question once.
func (a audit) of(t *testing.T, user string) (out []request) {
	t.Helper()
	text, err := os.ReadFile(string(a))
	must(t, err)
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		var e struct {
			AuditID, Verb  string
			User           struct{ Username string }
			ObjectRef      *struct{ APIGroup, Resource, Subresource, Namespace, Name string }
			ResponseStatus struct{ Code int }
		}
		if json.Unmarshal([]byte(line), &e) != nil || e.User.Username != user || e.ObjectRef == nil || seen[e.AuditID] {
			continue
		}
		seen[e.AuditID] = true
		r := request{code: e.ResponseStatus.Code, permission: permission{verb: e.Verb, group: e.ObjectRef.APIGroup, resource: e.ObjectRef.Resource, namespace: e.ObjectRef.Namespace, names: e.ObjectRef.Name}}
		if e.ObjectRef.Subresource != "" {
			r.resource += "/" + e.ObjectRef.Subresource
		}
		out = append(out, r)
	}
	return out
}

// roleWorld is a cluster in which each user reconciles the zone of a node.
type roleWorld struct {
	*cluster.Cluster
	log audit
	all []permission
}

// roleUser is a user with a node, the database there and a replica that writes it.
type roleUser struct {
	name string // of the user and the node
	zone *cluster.Zones
	*replica
	options []string // of the replica
}

// roleNode names the n-th node, and its user.
func roleNode(n int) string { return fmt.Sprintf("z%02d", n) }

// user adds a user with all permissions but one, and starts the replica for the n-th node.
func (w *roleWorld) user(t *testing.T, n int, without permission) *roleUser {
	t.Helper()
	u := &roleUser{name: roleNode(n)}
	grant(t, w.Cluster, u.name, slices.DeleteFunc(slices.Clone(w.all), func(p permission) bool { return p == without }))
	var err error
	u.zone, err = w.AddZones(t.Context(), u.name)
	must(t, err)
	t.Cleanup(u.zone.Close)
	u.options = append(u.zone.NB(), "--lease-namespace", u.name)
	u.replica = replicaAs(t, w.Cluster, u.name, u.name, u.options...)
	return u
}

// again starts the user's replica anew: its events are sent a second time.
func (u *roleUser) again(t *testing.T, w *roleWorld) {
	t.Helper()
	u.signal(syscall.SIGTERM)
	wait.Within(t, patience, "it ends", func() bool { return !u.running() })
	u.replica = replicaAs(t, w.Cluster, u.name, u.name, u.options...)
}

// did waits until the user got an answer with this code to what the permission is for.
func (u *roleUser) did(t *testing.T, w *roleWorld, p permission, ok bool) {
	t.Helper()
	if !wait.Poll(patience, func() bool {
		return slices.ContainsFunc(w.log.of(t, u.name), func(r request) bool { return p.covers(r.permission, u.name) && ok == (r.code != http.StatusForbidden) })
	}) {
		t.Fatalf("%s: no request (allowed %v)", p, ok)
	}
}

// covers reports whether a user's permission is for this request.
func (p permission) covers(r permission, user string) bool {
	if p.namespace == "rung" {
		p.namespace = user
	}
	return p.verb == r.verb && p.group == r.group && p.resource == r.resource && (p.namespace == "" || p.namespace == r.namespace) &&
		(p.names == "" || slices.Contains(strings.Split(p.names, ","), r.names))
}

// written waits until the zone's rows are as compiled for the user.
func (u *roleUser) written(t *testing.T, w *roleWorld) {
	t.Helper()
	asCompiled(t, w.Cluster, u.zone, u.name)
}

// leaves deletes the user's node: the conditions of its zone are taken back.
func (u *roleUser) leaves(t *testing.T, w *roleWorld) {
	t.Helper()
	_, err := w.Kubectl(t.Context(), cluster.Admin, "", "delete", "node", u.name)
	must(t, err)
}

// The roles of `rung reconcile` are what it uses: with them nothing is refused, and each permission
// is used. Without any one of them it says which, and writes no row that is wrong for that.
func TestRolesOfReconcile(t *testing.T) {
	t.Parallel()
	log, args := newAudit(t)
	w := &roleWorld{Cluster: start(t, cluster.Config{APIServer: args}), log: log, all: permissionsIn(t, "rung-reconcile", "deploy/00-rbac.yaml")}
	addKinds(t, w.Cluster, "crd.antrea.io.yaml", "")
	addKinds(t, w.Cluster, "k8s.ovn.org.yaml", "clusternetworkconnects.")
	for _, ns := range []string{"blue", "red"} {
		must(t, w.AddNamespace(t.Context(), ns, "tenant", ns))
	}
	for n := range len(w.all) + 1 {
		must(t, w.AddNode(t.Context(), roleNode(n), n+1))
		must(t, w.AddPod(t.Context(), "blue", "on-"+roleNode(n), roleNode(n), podIP(n+1, 9), "app", "a"))
	}
	must(t, w.Apply(t.Context(), anp("guard-blue", 20, "tenant=blue", "in Deny tenant=red")))
	must(t, w.Apply(t.Context(), anp("too-high", 120, "tenant=red", "in Deny tenant=blue")))
	must(t, w.Apply(t.Context(), "{apiVersion: policy.networking.k8s.io/v1alpha1, kind: BaselineAdminNetworkPolicy, metadata: {name: default}, "+
		"spec: {subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}}"))

	// The only condition of a policy is taken away with another request than one of many: those
	// who do that come first, one after the other.
	next := 0
	gets := slices.DeleteFunc(slices.Clone(w.all), func(p permission) bool { return p.verb != "get" || p.group != "policy.networking.k8s.io" })
	full := w.user(t, next, permission{})
	full.written(t, w)
	full.again(t, w)
	for _, p := range w.all {
		if !slices.Contains(gets, p) {
			full.did(t, w, p, true)
		}
	}
	full.leaves(t, w)
	for _, p := range gets {
		full.did(t, w, p, true)
	}
	full.signal(syscall.SIGTERM)
	for _, r := range w.log.of(t, full.name) {
		if r.code == http.StatusForbidden {
			t.Errorf("with all permissions it was refused: %s %s", r.permission, r.names)
		}
	}
	for _, p := range gets {
		next++
		t.Run(p.String(), func(t *testing.T) {
			u := w.user(t, next, p)
			u.written(t, w)
			u.leaves(t, w)
			u.refused(t, w, p)
			u.signal(syscall.SIGTERM)
		})
	}
	for _, p := range w.all {
		if slices.Contains(gets, p) {
			continue
		}
		next++
		n := next
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			u := w.user(t, n, p)
			if p.resource == "events" && p.namespace != "" {
				wait.Within(t, patience, "it writes an event", func() bool {
					return slices.ContainsFunc(w.log.of(t, u.name), func(r request) bool { return r.verb == "create" && r.resource == "events" })
				})
				u.again(t, w)
			}
			u.refused(t, w, p)
			switch {
			case !p.isForRows() || p.verb == "update": // a Lease is updated after rows were written
				u.written(t, w)
			case p.verb == "watch": // read once: they may have been written
			default:
				if p.resource != "leases" { // a standby is ready
					wait.Within(t, patience, "it is not ready", func() bool { _, code := u.get("/readyz"); return code == http.StatusServiceUnavailable })
				}
				if got := dumped(t, u.zone, u.name); len(got) > 0 {
					t.Errorf("%d rows are written without it", len(got))
				}
			}
			if !u.running() {
				t.Error("it ended")
			}
		})
	}
}

// isForRows reports whether no row may be written without the permission: the kinds that rows are
// compiled from, and the Lease.
func (p permission) isForRows() bool {
	switch p.group + "/" + p.resource {
	case "/namespaces", "/pods", "/nodes", "networking.k8s.io/networkpolicies", "k8s.ovn.org/egressfirewalls", "k8s.ovn.org/userdefinednetworks",
		"k8s.ovn.org/clusteruserdefinednetworks", "k8s.cni.cncf.io/network-attachment-definitions", "k8s.cni.cncf.io/multi-networkpolicies",
		"policy.networking.k8s.io/adminnetworkpolicies", "policy.networking.k8s.io/baselineadminnetworkpolicies", "coordination.k8s.io/leases":
		return true
	}
	return false
}

// refused waits until the user was refused what the permission is for, and said so.
func (u *roleUser) refused(t *testing.T, w *roleWorld, p permission) {
	t.Helper()
	u.did(t, w, p, false)
	words := fmt.Sprintf(`cannot %s resource \"%s\"`, p.verb, p.resource)
	if !wait.Poll(patience, func() bool { return strings.Contains(u.said(), words) }) {
		t.Errorf("%s: it does not say %s", p, words)
	}
	for _, r := range w.log.of(t, u.name) {
		if r.code == http.StatusForbidden && !p.covers(r.permission, u.name) {
			t.Errorf("%s: refused, too: %s %s", p, r.permission, r.names)
		}
	}
}

// The roles of docs/clusters.md are what the console and the commands use, and without any one of them
// `rung can` says what is missing.
func TestRolesOfCommands(t *testing.T) {
	t.Parallel()
	log, args := newAudit(t)
	w := &roleWorld{Cluster: start(t, cluster.Config{APIServer: append(args, byKubelet...)}), log: log, all: permissionsIn(t, "rung-", "docs/clusters.md")}
	addKinds(t, w.Cluster, "crd.antrea.io.yaml", "")
	addKinds(t, w.Cluster, "k8s.ovn.org.yaml", "clusternetworkconnects.")
	small(t, w.Cluster)
	z, err := w.AddZones(t.Context(), smallNodes...)
	must(t, err)
	k := zoneKubelet(t, z)
	ovnPods(t, w.Cluster, k, smallNodes, "nb-ovsdb", "ovn-controller")
	reconcile(t, w.Cluster, z, "writer")
	grant(t, w.Cluster, "whole", w.all)
	w.useAll(t, "whole")
	asked := log.of(t, "whole")
	for _, r := range asked {
		// The roles are for one of the two namespaces in which OVN-Kubernetes may run.
		if r.code == http.StatusForbidden && r.namespace != "openshift-ovn-kubernetes" {
			t.Errorf("with all permissions it was refused: %s %s", r.permission, r.names)
		}
	}
	for _, p := range w.all {
		// An API server asks for "create", too, where an apply makes an object, and for a WebSocket.
		if p.verb != "create" && !slices.ContainsFunc(asked, func(r request) bool { return p.covers(r.permission, "") }) {
			t.Errorf("%s is not used", p)
		}
	}
	for i, p := range w.all {
		user := fmt.Sprintf("u%02d", i)
		if slices.ContainsFunc(w.all, func(q permission) bool {
			return p.namespace != "" && q.namespace == "" && q.verb == p.verb && q.resource == p.resource
		}) {
			continue // given for all namespaces, too
		}
		if p.verb == "get" && (p.resource == "pods" || p.resource == "pods/exec") {
			continue // a restart of a container is not noticed; SPDY is used where a WebSocket is refused
		}
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			grant(t, w.Cluster, user, slices.DeleteFunc(slices.Clone(w.all), func(q permission) bool { return p == q }))
			r := rung(t, "", on(w.Cluster, user, "can")...)
			told := regexp.MustCompile(`✗ no: .*\b` + p.verb + `\b.* ` + regexp.QuoteMeta(strings.TrimSuffix(p.resource+"."+p.group, ".")) + `( in \S+)? → `)
			if p.verb == "get" && p.group != "apiextensions.k8s.io" && p.resource != "pods/log" || p.resource == "daemonsets" || p.resource == "configmaps" {
				told = regexp.MustCompile(fmt.Sprintf("cannot %s resource \"%s\"", p.verb, p.resource))
				r = w.useOne(t, user, p)
			}
			if !told.MatchString(r.out + r.err) {
				t.Errorf("exit %d, and nothing like %s in\n%s%s", r.code, told, r.out, r.err)
			}
		})
	}
}

// rolePolicies are a policy of each kind that the role of changes is for, by resource.
var rolePolicies = map[string]string{
	"adminnetworkpolicies": "{apiVersion: policy.networking.k8s.io/v1alpha1, kind: AdminNetworkPolicy, metadata: {name: made}, " +
		"spec: {priority: 30, subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}}",
	"baselineadminnetworkpolicies": "{apiVersion: policy.networking.k8s.io/v1alpha1, kind: BaselineAdminNetworkPolicy, metadata: {name: default}, " +
		"spec: {subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}}",
	"clusternetworkpolicies": "{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: made-cnp}, " +
		"spec: {tier: Admin, priority: 40, subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}}",
}

// useAll does all that the roles of docs/clusters.md are for.
func (w *roleWorld) useAll(t *testing.T, user string) {
	t.Helper()
	home := t.TempDir()
	do := func(stdin string, args ...string) {
		t.Helper()
		if r := rungAt(t, home, stdin, on(w.Cluster, user, args...)...); r.code != 0 {
			t.Errorf("rung %s ended with %d\n%s%s", strings.Join(args, " "), r.code, r.out, r.err)
		}
	}
	change := func(stdin, confirm string, args ...string) {
		t.Helper()
		do(stdin, append(args, "--write", "--yes", "--confirm-name", confirm)...)
	}
	do("", "zones")
	do("", "zones", "--dialect")
	do("", "logs")
	for name, resource := range map[string]string{"made": "adminnetworkpolicies", "default": "baselineadminnetworkpolicies", "made-cnp": "clusternetworkpolicies"} {
		change(rolePolicies[resource], name, "apply", "-f", "-")
		change(strings.Replace(rolePolicies[resource], "ingress: [", "ingress: [{name: more, action: Deny, from: [{namespaces: {matchLabels: {a: b}}}]}, ", 1), name, "apply", "-f", "-")
		change("", name, "undo")
		change("", name, "delete", name)
	}
	change("", "blue", "log-level", "namespace/blue", "--deny", "info")
}

// useOne does what the permission is for.
func (w *roleWorld) useOne(t *testing.T, user string, p permission) result {
	t.Helper()
	args, stdin := []string{"zones"}, rolePolicies[p.resource]
	switch {
	case stdin != "":
		args = []string{"apply", "-f", "-", "--write", "--yes"}
	case p.resource == "namespaces":
		args = []string{"log-level", "namespace/red", "--deny", "info", "--write", "--yes"}
	case p.resource == "configmaps", p.resource == "daemonsets" && p.verb == "list":
		args = []string{"zones", "--dialect"}
	}
	return rung(t, stdin, on(w.Cluster, user, args...)...)
}
