package engine

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/network-policy-api/apis/v1alpha1"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/sources/manifests"
)

// An API server with older definitions keeps what today's refuse. Rung then says
// what OVN-Kubernetes says (ovn-kubernetes.md#invalid-policies), of all that is wrong
// in the policy.
func TestRefusedAsRead(t *testing.T) {
	everyone := v1alpha1.AdminNetworkPolicySubject{Namespaces: &metav1.LabelSelector{}}
	to := func(cidrs ...v1alpha1.CIDR) v1alpha1.AdminNetworkPolicyEgressRule {
		return v1alpha1.AdminNetworkPolicyEgressRule{Action: "Deny", To: []v1alpha1.AdminNetworkPolicyEgressPeer{{Networks: cidrs}}}
	}
	odd := metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Maybe"}}}
	from := v1alpha1.AdminNetworkPolicyIngressRule{Action: "Deny", From: []v1alpha1.AdminNetworkPolicyIngressPeer{{Namespaces: &odd}}}
	logging := map[string]string{model.AnnotationLogging: `{"deny":"ALERT"}`}
	const badLogging = `disabling deny logging due to an invalid deny annotation. "ALERT" is not a valid log severity`
	anp := func(annotations map[string]string, spec v1alpha1.AdminNetworkPolicySpec) any {
		return &v1alpha1.AdminNetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: "p", Annotations: annotations}, Spec: spec}
	}
	for _, c := range []struct {
		name string
		obj  any
		want string
	}{
		{"two rules and the annotation", anp(logging, v1alpha1.AdminNetworkPolicySpec{Subject: everyone,
			Egress: []v1alpha1.AdminNetworkPolicyEgressRule{to("10.0.0.0/8", "ten"), to("10.0.0.0/8"), to("10.0.0.0/33", "x")}}),
			"[cannot create anp egress Rule 0 in ANP p: invalid CIDR address: ten, cannot create anp egress Rule 2 in ANP p: invalid CIDR address: 10.0.0.0/33, " +
				"cannot parse ANP ACL logging annotation, disabling it for ANP p: " + badLogging + "]"},
		{"a selector and a CIDR", anp(nil, v1alpha1.AdminNetworkPolicySpec{Subject: everyone,
			Ingress: []v1alpha1.AdminNetworkPolicyIngressRule{from}, Egress: []v1alpha1.AdminNetworkPolicyEgressRule{to("ten")}}),
			`[cannot create anp ingress Rule 0 in ANP p: "Maybe" is not a valid label selector operator, cannot create anp egress Rule 0 in ANP p: invalid CIDR address: ten]`},
		{"the subject alone", anp(logging, v1alpha1.AdminNetworkPolicySpec{Subject: v1alpha1.AdminNetworkPolicySubject{Namespaces: &odd},
			Egress: []v1alpha1.AdminNetworkPolicyEgressRule{to("ten")}}), `"Maybe" is not a valid label selector operator`},
		{"a baseline", &v1alpha1.BaselineAdminNetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: "default", Annotations: logging},
			Spec: v1alpha1.BaselineAdminNetworkPolicySpec{Subject: everyone, Egress: []v1alpha1.BaselineAdminNetworkPolicyEgressRule{
				{Action: "Deny", To: []v1alpha1.BaselineAdminNetworkPolicyEgressPeer{{Networks: []v1alpha1.CIDR{"ten"}}}}}}},
			"[cannot create banp egress Rule 0 in BANP default: invalid CIDR address: ten, " +
				"cannot parse BANP ACL logging annotation, disabling it for BANP default: " + badLogging + "]"},
		{"an unknown protocol is no reason, a CIDR is", anp(nil, v1alpha1.AdminNetworkPolicySpec{Subject: everyone,
			Ingress: []v1alpha1.AdminNetworkPolicyIngressRule{{Action: "Deny", From: []v1alpha1.AdminNetworkPolicyIngressPeer{{Namespaces: &metav1.LabelSelector{}}},
				Ports: &[]v1alpha1.AdminNetworkPolicyPort{{PortNumber: &v1alpha1.Port{Protocol: "kube", Port: 1}}}}},
			Egress: []v1alpha1.AdminNetworkPolicyEgressRule{to("::ffff:10.0.0.0/104", "ten")}}),
			"cannot create anp egress Rule 0 in ANP p: invalid CIDR address: ten"},
		{"what controllers do not survive", anp(nil, v1alpha1.AdminNetworkPolicySpec{Subject: everyone,
			Egress: []v1alpha1.AdminNetworkPolicyEgressRule{to("ten"), {Action: "Deny", To: []v1alpha1.AdminNetworkPolicyEgressPeer{{}}}}}),
			"names no peer: OVN-Kubernetes' controllers crash on it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, rows := compiled(t, c.obj)
			if rows.None == nil || rows.None.Message != c.want {
				t.Errorf("got  %+v\nwant %s", rows.None, c.want)
			}
			if len(p.Invalid) == 0 || !p.IsRejected() {
				t.Errorf("nothing is said of the policy itself: %+v", p.Invalid)
			}
		})
	}
}

// A protocol that OVN-Kubernetes does not know breaks one row; the others are
// written, and the policy decides (ovn-kubernetes.md#unknown-protocol).
func TestUnknownProtocolAsRead(t *testing.T) {
	port := func(proto corev1.Protocol, n int32) v1alpha1.AdminNetworkPolicyPort {
		return v1alpha1.AdminNetworkPolicyPort{PortNumber: &v1alpha1.Port{Protocol: proto, Port: n}}
	}
	p, rows := compiled(t, &v1alpha1.AdminNetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: v1alpha1.AdminNetworkPolicySpec{
		Subject: v1alpha1.AdminNetworkPolicySubject{Namespaces: &metav1.LabelSelector{}},
		Egress: []v1alpha1.AdminNetworkPolicyEgressRule{
			{Action: "Deny", To: []v1alpha1.AdminNetworkPolicyEgressPeer{{Networks: []v1alpha1.CIDR{"10.0.0.0/8"}}},
				Ports: &[]v1alpha1.AdminNetworkPolicyPort{port("tcp", 80), port("kube", 81), port("TCP", 82)}},
			{Action: "Deny", To: []v1alpha1.AdminNetworkPolicyEgressPeer{{Networks: []v1alpha1.CIDR{"10.0.0.0/8"}}}}}}})
	if rows.None != nil || len(rows.ACLs) != 3 {
		t.Fatalf("%+v, %d ACLs", rows.None, len(rows.ACLs))
	}
	want := map[string]string{"": " &&  && .dst=={80,81}", "tcp": " && tcp && tcp.dst==82", "None": "))"}
	for _, a := range rows.ACLs {
		proto := a.ExternalIDs["port-policy-protocol"]
		if end, ok := want[proto]; !ok || !strings.HasSuffix(a.Match, end) {
			t.Errorf("protocol %q: %s", proto, a.Match)
		}
		if o := nb.OwnerOfRow(a); o.Form != nb.FormKnown || o.Protocol != proto || o.Name != "p" {
			t.Errorf("the row of protocol %q is taken for %+v", proto, o)
		}
		delete(want, proto)
	}
	if len(p.Invalid) != 2 || p.IsRejected() {
		t.Errorf("what is said of the policy: %+v", p.Invalid)
	}
}

// compiled reads a policy as one that an API server sent, and compiles it.
func compiled(t *testing.T, obj any) (*model.Policy, *model.PolicyRows) {
	t.Helper()
	p, err := manifests.FromObject(obj, model.Origin{})
	if err != nil {
		t.Fatal(err)
	}
	cluster, _ := (*model.Cluster)(nil).Upsert([]model.Object{p}, nil)
	return p, compiler.Compile(cluster, compiler.Options{IPv4: true}).RowsOfUnit(p.Key, "", nil)
}
