package kube

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/ovn/dialect"
	"rung/model/words"
)

const (
	ovnkubeWithin = 10 * time.Second // bounds reading the whole configuration
	maxDaemonSets = 100
	// ovnkubeSets begins the names of DaemonSets with controllers.
	ovnkubeSets = "ovnkube"
	// annotationRelease holds the OpenShift release of an object.
	annotationRelease = "release.openshift.io/version"
)

// ovnEnv maps the environment variables of upstream's and OpenShift's containers to settings.
var ovnEnv = map[string]string{
	"OVN_NET_CIDR": dialect.ClusterSubnets, "OVN_OBSERV_ENABLE": dialect.Observability, "OVN_MULTICAST_ENABLE": dialect.Multicast,
	"OVN_STATELESS_NETPOL_ENABLE": dialect.Stateless, "OVN_ADMIN_NETWORK_POLICY_ENABLE": dialect.AdminPolicy,
	"OVN_ALLOW_ICMP_NETPOL": dialect.AllowICMP, "OVN_ALLOW_ICMP_NETPOL_ENABLE": dialect.AllowICMP,
	"OVN_ALLOW_ICMP_NETWORK_POLICY": dialect.AllowICMP,
	"OVN_V4_MASQUERADE_SUBNET":      dialect.Masquerade4, "OVN_V6_MASQUERADE_SUBNET": dialect.Masquerade6,
	"OVN_HOST_NETWORK_NAMESPACE": dialect.HostNamespace, "OVN_ACL_LOGGING_RATE_LIMIT": dialect.LoggingRate,
}

// OVNKube is the configuration of a cluster's OVN-Kubernetes, as far as objects show it. A container's
// arguments and environment outrank the ConfigMap.
type OVNKube struct {
	// Settings by the names in dialect, spelled like flags; unread ones are absent.
	Settings map[string]dialect.Setting
	// Image is the image of the controller's container, Version its release; empty if unknown.
	Image, Version string
}

// OVNKube reads the configuration of OVN-Kubernetes. It takes the first namespace with a configuration, of
// those given or of OVNNamespaces. If a part cannot be read, it returns the rest together with the error. A
// cluster without a configuration is no error.
func (c *Cluster) OVNKube(ctx context.Context, namespaces []string) (OVNKube, error) {
	ctx, cancel := context.WithTimeout(ctx, ovnkubeWithin)
	defer cancel()
	if len(namespaces) == 0 {
		namespaces = OVNNamespaces()
	}
	out := OVNKube{Settings: map[string]dialect.Setting{}}
	var failed error
	for _, ns := range namespaces {
		err := c.readOVNKube(ctx, ns, &out)
		if len(out.Settings) > 0 || out.Image != "" {
			return out, err
		}
		failed = cmp.Or(failed, err)
	}
	return out, failed
}

func (c *Cluster) readOVNKube(ctx context.Context, ns string, out *OVNKube) (failed error) {
	data := map[string]map[string]string{}
	configs := newResourceClient[corev1.ConfigMap, corev1.ConfigMapList](c.Builtin(), corev1.SchemeGroupVersion, "configmaps", ns)
	for _, name := range dialect.MapNames {
		m, err := configs.Get(ctx, name, metav1.GetOptions{})
		switch {
		case err == nil:
			data[name] = m.Data
			out.configMap(ns, name, m.Data)
		case !apierrors.IsNotFound(err) && failed == nil:
			failed = fmt.Errorf("read OVN-Kubernetes' configuration: %w", c.askError(err, "get", "configmaps", ns))
		}
	}
	sets, err := c.Builtin().DaemonSets(ns).List(ctx, metav1.ListOptions{Limit: maxDaemonSets})
	if err != nil {
		return cmp.Or(failed, fmt.Errorf("read OVN-Kubernetes' arguments: %w", c.askError(err, "list", "daemonsets.apps", ns)))
	}
	for i := range sets.Items {
		if strings.HasPrefix(sets.Items[i].Name, ovnkubeSets) {
			out.daemonSet(&sets.Items[i], data)
		}
	}
	return failed
}

// putSetting keeps a setting; within a namespace, a later one outranks an earlier one.
func (o *OVNKube) putSetting(name, value, from string) {
	value = words.CleanText(strings.TrimSpace(value))
	if value != "" && name != "" {
		o.Settings[name] = dialect.Setting{Value: value, From: from}
	}
}

// configMap takes the settings of a ConfigMap under the requested name: a server may answer with another.
func (o *OVNKube) configMap(ns, name string, data map[string]string) {
	c := dialect.NewConfig(model.Meta{Key: model.Key{Kind: dialect.KindConfigMap, Namespace: ns, Name: name}}, data)
	maps.Copy(o.Settings, c.Settings)
}

// daemonSet takes the settings of the controller's container, whose environment may refer to ConfigMaps, data.
func (o *OVNKube) daemonSet(ds *appsv1.DaemonSet, data map[string]map[string]string) {
	for i := range ds.Spec.Template.Spec.Containers {
		c := &ds.Spec.Template.Spec.Containers[i]
		if !slices.Contains(policyContainers, c.Name) {
			continue
		}
		from := "DaemonSet " + words.CleanText(ds.Namespace+"/"+ds.Name+" container "+c.Name)
		for _, e := range c.Env {
			value := e.Value
			if r := e.ValueFrom; r != nil && r.ConfigMapKeyRef != nil {
				value = data[r.ConfigMapKeyRef.Name][r.ConfigMapKeyRef.Key]
			}
			o.putSetting(ovnEnv[e.Name], dialect.LimitText(value), from)
		}
		for name, value := range parseOVNArgs(append(slices.Clone(c.Command), c.Args...)) {
			o.putSetting(name, value, from)
		}
		if o.Image == "" {
			o.Image, o.Version = words.CleanText(c.Image), imageVersion(c.Image)
			if v := ds.Annotations[annotationRelease]; v != "" {
				o.Version = words.CleanText(v)
			}
		}
	}
}

// imageVersion returns the tag of an image; empty for a digest.
func imageVersion(image string) string {
	image, _, _ = strings.Cut(image, "@")
	name := image[strings.LastIndexByte(image, '/')+1:]
	_, tag, _ := strings.Cut(name, ":")
	return words.CleanText(tag)
}
