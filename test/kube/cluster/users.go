package cluster

import (
	"context"
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// The users of a cluster.
const (
	Admin  = "admin"  // may do everything
	Viewer = "viewer" // may get, list and watch what Rung reads; no exec, no change
	Narrow = "narrow" // may see policies and namespaces; no pods, no nodes
)

// roles are the rules of the users that are not in system:masters.
var roles = map[string][]rbacv1.PolicyRule{
	Viewer: {
		{APIGroups: []string{""}, Resources: []string{"namespaces", "pods", "nodes", "services", "events"}, Verbs: seeing},
		{APIGroups: []string{"discovery.k8s.io"}, Resources: []string{"endpointslices"}, Verbs: seeing},
		{APIGroups: []string{"networking.k8s.io"}, Resources: []string{"networkpolicies"}, Verbs: seeing},
		policyRule, firewallRule, networkRule,
	},
	Narrow: {{APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: seeing}, policyRule},
}

var (
	seeing       = []string{"get", "list", "watch"}
	policyRule   = rbacv1.PolicyRule{APIGroups: []string{"policy.networking.k8s.io"}, Resources: []string{"adminnetworkpolicies", "baselineadminnetworkpolicies", "clusternetworkpolicies"}, Verbs: seeing}
	firewallRule = rbacv1.PolicyRule{APIGroups: []string{"k8s.ovn.org"}, Resources: []string{"egressfirewalls"}, Verbs: seeing}
	networkRule  = rbacv1.PolicyRule{APIGroups: []string{"k8s.ovn.org", "k8s.cni.cncf.io"}, Resources: []string{"userdefinednetworks", "clusteruserdefinednetworks", "clusternetworkconnects",
		"network-attachment-definitions", "multi-networkpolicies"}, Verbs: seeing}
)

// users writes the roles and a kubeconfig of each user.
func (c *Cluster) users(ctx context.Context) error {
	for user, rules := range roles {
		meta := metav1.ObjectMeta{Name: "rung-e2e-" + user}
		role := &rbacv1.ClusterRole{ObjectMeta: meta, Rules: rules}
		if _, err := c.Client.RbacV1().ClusterRoles().Create(ctx, role, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("creating the role of %s: %w", user, err)
		}
		binding := &rbacv1.ClusterRoleBinding{ObjectMeta: meta,
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: meta.Name},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}}}
		if _, err := c.Client.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("binding the role of %s: %w", user, err)
		}
	}
	for _, user := range []string{Admin, Viewer, Narrow} {
		var groups []string
		if user == Admin {
			groups = []string{"system:masters"}
		}
		if err := c.kubeconfig(user, groups...); err != nil {
			return err
		}
	}
	return nil
}

// Kubeconfig is the path of a user's kubeconfig. Its only context has the name
// of the user.
func (c *Cluster) Kubeconfig(user string) string { return c.path(user + ".kubeconfig") }

// AddUser writes a kubeconfig of a user who may do nothing yet.
func (c *Cluster) AddUser(user string) error { return c.kubeconfig(user) }

func (c *Cluster) kubeconfig(user string, groups ...string) error {
	cert, key, err := c.ca.client(user, groups...)
	if err != nil {
		return err
	}
	cfg := clientcmdapi.NewConfig()
	cfg.Clusters["e2e"] = &clientcmdapi.Cluster{Server: c.Server, CertificateAuthorityData: c.ca.pem}
	cfg.AuthInfos[user] = &clientcmdapi.AuthInfo{ClientCertificateData: cert, ClientKeyData: key}
	cfg.Contexts[user] = &clientcmdapi.Context{Cluster: "e2e", AuthInfo: user}
	cfg.CurrentContext = user
	if err := clientcmd.WriteToFile(*cfg, c.Kubeconfig(user)); err != nil {
		return fmt.Errorf("writing the kubeconfig of %s: %w", user, err)
	}
	return nil
}
