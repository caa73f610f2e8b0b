package kube

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model/ovn/dialect"
	"rung/test/apiserver"
)

func configMapOf(ns, name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}, Data: data}
}

func nodeSet(ns, name string, containers ...corev1.Container) *appsv1.DaemonSet {
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}}
	ds.Spec.Template.Spec.Containers = containers
	return ds
}

const openShiftConf = `[default]
mtu="1400"
cluster-subnets="10.128.0.0/14/23,fd01::/48/64"   ; what pods have

[gateway]
v4-masquerade-subnet=169.254.0.0/17
v6-masquerade-subnet="fd69::/112"
[kubernetes]
host-network-namespace="openshift-host-network"
# enable-observability=true
[ovnkubernetesfeature]
enable-admin-network-policy=true
enable-multicast
[logging]
acl-logging-rate-limit = 30
`

func TestOVNKube(t *testing.T) {
	env := func(name, value string) corev1.EnvVar { return corev1.EnvVar{Name: name, Value: value} }
	fromMap := func(name, m, key string) corev1.EnvVar {
		return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: m}, Key: key}}}
	}
	tests := []struct {
		name       string
		objects    []metav1.Object
		forbidden  string // resources
		namespaces []string
		want       map[string]string // value and where from
		version    string
		denied     bool
	}{
		{name: "nothing there", want: map[string]string{}},
		{name: "OpenShift", objects: []metav1.Object{
			configMapOf("openshift-ovn-kubernetes", "ovnkube-config", map[string]string{"ovnkube.conf": openShiftConf}),
			func() metav1.Object {
				ds := nodeSet("openshift-ovn-kubernetes", "ovnkube-node", corev1.Container{Name: "ovn-controller", Env: []corev1.EnvVar{env("OVN_OBSERV_ENABLE", "true")}},
					corev1.Container{Name: "ovnkube-controller", Image: "registry.example/ovn@sha256:00", Command: []string{"/bin/bash", "-c", "set -x\nflag=--enable-observability\nexec /usr/bin/ovnkube \\\n  --acl-logging-rate-limit \"20\" \\\n  --host-network-namespace ${ns} \\\n  --allow-icmp-network-policy\necho --enable-stateless-netpol"}})
				ds.Annotations = map[string]string{annotationRelease: "4.20.1"}
				return ds
			}()},
			want: map[string]string{
				dialect.ClusterSubnets: "10.128.0.0/14/23,fd01::/48/64 · ConfigMap openshift-ovn-kubernetes/ovnkube-config",
				dialect.HostNamespace:  "openshift-host-network · ConfigMap openshift-ovn-kubernetes/ovnkube-config",
				dialect.AdminPolicy:    "true · ConfigMap openshift-ovn-kubernetes/ovnkube-config",
				dialect.Masquerade4:    "169.254.0.0/17 · ConfigMap openshift-ovn-kubernetes/ovnkube-config",
				dialect.Masquerade6:    "fd69::/112 · ConfigMap openshift-ovn-kubernetes/ovnkube-config",
				dialect.Multicast:      "true · ConfigMap openshift-ovn-kubernetes/ovnkube-config",
				dialect.LoggingRate:    "20 · DaemonSet openshift-ovn-kubernetes/ovnkube-node container ovnkube-controller",
				dialect.AllowICMP:      "true · DaemonSet openshift-ovn-kubernetes/ovnkube-node container ovnkube-controller",
			}, version: "4.20.1"},
		{name: "upstream", objects: []metav1.Object{
			configMapOf("ovn-kubernetes", "ovn-config", map[string]string{"net_cidr": "10.244.0.0/16/24", "mtu": "1400", "host_network_namespace": "ovn-host-network"}),
			nodeSet("ovn-kubernetes", "ovnkube-single-node-zone", corev1.Container{Name: "ovnkube-controller", Image: "ghcr.example:5000/ovn/ovn-kube:v1.3.0",
				Env:  []corev1.EnvVar{env("OVN_OBSERV_ENABLE", "true"), env("OVN_MULTICAST_ENABLE", ""), fromMap("OVN_NET_CIDR", "ovn-config", "net_cidr")},
				Args: []string{"--enable-stateless-netpol=false", "--loglevel", "4"}})},
			want: map[string]string{
				dialect.ClusterSubnets: "10.244.0.0/16/24 · DaemonSet ovn-kubernetes/ovnkube-single-node-zone container ovnkube-controller",
				dialect.HostNamespace:  "ovn-host-network · ConfigMap ovn-kubernetes/ovn-config",
				dialect.Observability:  "true · DaemonSet ovn-kubernetes/ovnkube-single-node-zone container ovnkube-controller",
				dialect.Stateless:      "false · DaemonSet ovn-kubernetes/ovnkube-single-node-zone container ovnkube-controller",
			}, version: "v1.3.0"},
		{name: "the first namespace that has one", namespaces: []string{"mine", "ovn-kubernetes"}, objects: []metav1.Object{
			configMapOf("mine", "ovn-config", map[string]string{"net_cidr": "10.1.0.0/16"}), configMapOf("ovn-kubernetes", "ovn-config", map[string]string{"net_cidr": "10.2.0.0/16"})},
			want: map[string]string{dialect.ClusterSubnets: "10.1.0.0/16 · ConfigMap mine/ovn-config"}},
		{name: "no permission for ConfigMaps", forbidden: "configmaps", denied: true, objects: []metav1.Object{
			nodeSet("ovn-kubernetes", "ovnkube-node", corev1.Container{Name: "ovnkube-controller", Args: []string{"-" + dialect.Multicast}})},
			want: map[string]string{dialect.Multicast: "true · DaemonSet ovn-kubernetes/ovnkube-node container ovnkube-controller"}},
		{name: "no permission for anything", forbidden: "configmaps daemonsets", denied: true, want: map[string]string{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, s := clusterOf(t, tt.objects...)
			s.Before(func(w http.ResponseWriter, r apiserver.Request) bool {
				_, rest, _ := strings.Cut(r.Path, "/namespaces/")
				refused := slices.Contains(strings.Fields(tt.forbidden), strings.Split(rest, "/")[1])
				if refused {
					apiserver.Fail(w, 403, "Forbidden", "no", nil)
				}
				return refused
			})
			got, err := c.OVNKube(context.Background(), tt.namespaces)
			if errors.Is(err, fs.ErrPermission) != tt.denied || !tt.denied && err != nil {
				t.Errorf("error %v", err)
			}
			have := map[string]string{}
			for k, s := range got.Settings {
				have[k] = s.Value + " · " + s.From
			}
			if diff := cmp.Diff(tt.want, have); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if got.Version != tt.version {
				t.Errorf("version %q, want %q", got.Version, tt.version)
			}
		})
	}
}

func TestOVNSettingValues(t *testing.T) {
	for text, want := range map[string]string{"10.128.0.0/14/23, fd01::/48/64": "[10.128.0.0/14 fd01::/48]", "10.1.2.3/16": "[10.1.0.0/16]", "nonsense,/,": "[]"} {
		if got := strings.TrimSpace(cmpText(dialect.Setting{Value: text})); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string][2]bool{"true": {true, true}, "Off": {false, true}, "1": {true, true}, "maybe": {false, false}} {
		if on, ok := (dialect.Setting{Value: text}).Bool(); on != want[0] || ok != want[1] {
			t.Errorf("%q: %v %v", text, on, ok)
		}
	}
}

func cmpText(s dialect.Setting) string {
	var out []string
	for _, p := range s.Subnets() {
		out = append(out, p.String())
	}
	return "[" + strings.Join(out, " ") + "]"
}

// TestOVNKubeOfAnotherName: a server answers with an object that has not the name that was asked for.
func TestOVNKubeOfAnotherName(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"kind": "ConfigMap", "apiVersion": "v1", "data": {"net_cidr": "10.1.0.0/16"}}`)
	}))
	defer server.Close()
	c, err := Open(Options{Kubeconfig: kubeconfigFile(t, server.URL)})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.OVNKube(t.Context(), []string{"ns"})
	if s := got.Settings[dialect.ClusterSubnets]; s.Value != "10.1.0.0/16" {
		t.Errorf("%+v, %v", got, err)
	}
}

// Whatever a ConfigMap or an argument holds, only settings come out, and text that
// is safe to print.
func FuzzOVNKube(f *testing.F) {
	f.Add(openShiftConf)
	f.Add("exec /usr/bin/ovnkube --cluster-subnets\\\n \x1b[31m")
	f.Add("--enable-multicast=\"")
	f.Fuzz(func(t *testing.T, text string) {
		o := OVNKube{Settings: map[string]dialect.Setting{}}
		o.configMap("ns", "ovnkube-config", map[string]string{"ovnkube.conf": text, "net_cidr": text})
		o.daemonSet(nodeSet("ns", "ovnkube-node", corev1.Container{Name: "ovnkube-controller", Image: text, Args: []string{text, text}}), nil)
		for k, s := range o.Settings {
			if !strings.Contains(strings.Join(dialect.Names, " "), k) || s.Value == "" || !utf8.ValidString(s.Value) || strings.ContainsAny(s.Value, "\x1b\n") {
				t.Errorf("%q: %q", k, s.Value)
			}
			s.Subnets()
		}
	})
}
