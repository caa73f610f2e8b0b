package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	yamlutil "k8s.io/apimachinery/pkg/util/yaml"
)

// LoadFiles applies the manifests of a file system with kubectl, leaving out the
// files named in except, and writes the status that nodes and pods have in them,
// which the API server does not take on creation.
func (c *Cluster) LoadFiles(ctx context.Context, files fs.FS, except ...string) error {
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return fmt.Errorf("listing manifests: %w", err)
	}
	var all bytes.Buffer
next:
	for _, name := range names {
		for _, e := range except {
			if name == e {
				continue next
			}
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return fmt.Errorf("reading manifests: %w", err)
		}
		all.WriteString("---\n")
		all.Write(text)
		all.WriteString("\n")
	}
	return c.Load(ctx, all.String())
}

// Load applies manifests with kubectl and writes the status of their nodes and
// pods.
func (c *Cluster) Load(ctx context.Context, manifests string) error {
	if err := c.Apply(ctx, manifests); err != nil {
		return err
	}
	d := yamlutil.NewYAMLOrJSONDecoder(strings.NewReader(manifests), 4096)
	for {
		u := &unstructured.Unstructured{}
		if err := d.Decode(&u.Object); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading manifests: %w", err)
		}
		if err := c.status(ctx, u); err != nil {
			return fmt.Errorf("writing the status of %s %s: %w", u.GetKind(), u.GetName(), err)
		}
	}
}

// status writes the status of a node or a pod; other kinds have none here.
func (c *Cluster) status(ctx context.Context, u *unstructured.Unstructured) error {
	if u.Object["status"] == nil {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"status": u.Object["status"]})
	if err != nil {
		return err
	}
	switch u.GetKind() {
	case "Node": // two addresses may have one type, by which a strategic patch tells them apart
		_, err = c.Client.CoreV1().Nodes().Patch(ctx, u.GetName(), types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	case "Pod":
		_, err = c.Client.CoreV1().Pods(u.GetNamespace()).Patch(ctx, u.GetName(), types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	}
	return err
}

// AddNode adds a node as OVN-Kubernetes annotates it; number, from 1, is in its
// addresses: 172.18.0.<number+1>, pods 10.244.<number>.0/24.
func (c *Cluster) AddNode(ctx context.Context, name string, number int) error {
	n := strconv.Itoa(number)
	ip := "172.18.0." + strconv.Itoa(number+1)
	return c.Load(ctx, `{apiVersion: v1, kind: Node, metadata: {name: `+name+`, labels: {kubernetes.io/hostname: `+name+`, kubernetes.io/os: linux},
  annotations: {k8s.ovn.org/host-cidrs: '["`+ip+`/16"]', k8s.ovn.org/node-subnets: '{"default":["10.244.`+n+`.0/24"]}'}},
  status: {addresses: [{type: InternalIP, address: `+ip+`}, {type: Hostname, address: `+name+`}]}}`)
}

// AddNamespace adds a namespace with labels given as key, value, key, value.
func (c *Cluster) AddNamespace(ctx context.Context, name string, labels ...string) error {
	o := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: pairs(labels)}}
	_, err := c.Client.CoreV1().Namespaces().Create(ctx, o, metav1.CreateOptions{})
	return err
}

// AddPod adds a running pod with a container port http 8080 on a node. Two addresses
// have a comma between them.
func (c *Cluster) AddPod(ctx context.Context, namespace, name, node, ip string, labels ...string) error {
	pods := c.Client.CoreV1().Pods(namespace)
	o := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: pairs(labels)},
		Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "c", Image: "none.invalid/c",
			Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: corev1.ProtocolTCP}}}}}}
	o, err := pods.Create(ctx, o, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("creating pod %s/%s: %w", namespace, name, err)
	}
	var ips []corev1.PodIP
	for _, ip := range strings.Split(ip, ",") {
		ips = append(ips, corev1.PodIP{IP: ip})
	}
	o.Status = corev1.PodStatus{Phase: corev1.PodRunning, PodIP: ips[0].IP, PodIPs: ips,
		Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}}
	if _, err := pods.UpdateStatus(ctx, o, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("writing the status of pod %s/%s: %w", namespace, name, err)
	}
	return nil
}

// DeletePod deletes a pod at once: no kubelet confirms it.
func (c *Cluster) DeletePod(ctx context.Context, namespace, name string) error {
	now := int64(0)
	return c.Client.CoreV1().Pods(namespace).Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: &now})
}

func pairs(list []string) map[string]string {
	out := map[string]string{}
	for i := 0; i+1 < len(list); i += 2 {
		out[list[i]] = list[i+1]
	}
	return out
}
