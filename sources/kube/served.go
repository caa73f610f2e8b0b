package kube

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"rung/model"
)

// Serves says whether the server has a resource, which everybody may ask. A server that does
// not say, or not to this user, is an error: then nobody knows.
func (c *Cluster) Serves(ctx context.Context, r schema.GroupVersionResource) (bool, error) {
	has, err := c.served(ctx, r.GroupVersion())
	return has[r.Resource], err
}

// served are the resources that the server has of a version.
func (c *Cluster) served(ctx context.Context, v schema.GroupVersion) (map[string]bool, error) {
	var list metav1.APIResourceList
	err := c.Builtin().Get("/apis/" + v.String()).Do(ctx).Into(&list)
	if apierrors.IsNotFound(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for i := range list.APIResources {
		out[list.APIResources[i].Name] = true
	}
	return out, nil
}

// rare are the resources that most clusters do not serve, by version.
func rare() map[schema.GroupVersion][]schema.GroupVersionResource {
	out := map[schema.GroupVersion][]schema.GroupVersionResource{}
	add := func(r schema.GroupVersionResource) { out[r.GroupVersion()] = append(out[r.GroupVersion()], r) }
	add(PolicyResources[model.KindCNP])
	for _, r := range TieredResources {
		add(r.GroupVersionResource)
	}
	return out
}

// Served are the questions that are about something the server has: what is allowed of
// ClusterNetworkPolicies, or of what Antrea brings along, matters only where they are. Where
// the server does not tell this user what it has, all stay. The error says that it did not
// answer.
func (c *Cluster) Served(ctx context.Context, questions []Question) ([]Question, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	missing := map[string]bool{}
	for version, resources := range rare() {
		has, err := c.served(ctx, version)
		var api apierrors.APIStatus
		if err != nil && !errors.As(err, &api) {
			return nil, fmt.Errorf("ask what is served of %s: %w", version, verdictOf(model.PolicyKey{}, "", err))
		}
		for _, r := range resources {
			missing[r.GroupResource().String()] = err == nil && !has[r.Resource]
		}
	}
	var out []Question
	for _, q := range questions {
		if !missing[q.groupResource()] {
			out = append(out, q)
		}
	}
	return out, nil
}
