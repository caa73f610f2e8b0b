package workload

import (
	"bytes"
	"fmt"

	"rung/model"
	"rung/sources/manifests"
)

// Objects are the objects that reading what Write writes gives, but for their
// origin. Namespaces and pods, of which there are many, are made without a
// detour through text.
func Objects(s Size) ([]model.Object, error) {
	d := draw(s)
	var text bytes.Buffer
	p := &printer{w: &text}
	p.nodes(s)
	p.policies(d)
	if p.err != nil {
		return nil, p.err
	}
	res := manifests.Parse("workload.yaml", text.Bytes(), manifests.Options{SkipSchema: true})
	for _, b := range res.Broken {
		if b.IsError() {
			return nil, fmt.Errorf("reading the workload: %s %s: %s", b.Key, b.Field, b.Message)
		}
	}
	out := res.Objects
	for i := range s.Namespaces {
		name := namespaceName(i)
		out = append(out, &model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: name},
			Labels: model.NewLabels(map[string]string{"kubernetes.io/metadata.name": name,
				"tenant": fmt.Sprint("t", d.tenant[i]), "env": fmt.Sprint("e", d.env[i])})}})
	}
	// Equal label sets are one, as they are when they are read.
	var labels [apps][tiers]*model.Labels
	for i := range s.Pods {
		l := &labels[d.app[i]][d.tier[i]]
		if *l == nil {
			set := model.NewLabels(map[string]string{"app": fmt.Sprint("a", d.app[i]), "tier": fmt.Sprint("r", d.tier[i])})
			*l = &set
		}
		out = append(out, Pod(s, i, **l))
	}
	return out, nil
}

// Pod is the nth pod, which may be one more than the size says, with other
// labels.
func Pod(s Size, i int, labels model.Labels) *model.Pod {
	return &model.Pod{
		Meta:     model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: namespaceName(i % s.Namespaces), Name: fmt.Sprintf("pod-%05d", i)}, Labels: labels},
		NodeName: fmt.Sprint("node", i%s.Nodes), ServiceAccount: "default", Phase: "Running", IPs: []string{PodIP(i)},
		Ports: []model.ContainerPort{{Name: "http", Protocol: "TCP", Port: 8080}},
	}
}

func namespaceName(i int) string { return fmt.Sprintf("ns%03d", i) }

// Cluster is the cluster of a size.
func Cluster(s Size) (*model.Cluster, error) {
	objects, err := Objects(s)
	if err != nil {
		return nil, err
	}
	c, _ := (*model.Cluster)(nil).Upsert(objects, nil)
	return c, nil
}
