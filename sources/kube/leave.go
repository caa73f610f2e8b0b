package kube

import (
	"fmt"
	"net/http"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// leaving lets every request end with its context. A credential plugin of the
// kubeconfig is waited for inside the request, and client-go waits for it whatever
// becomes of the context; such a request is left behind until the plugin answers.
type leaving struct{ rt http.RoundTripper }

// RoundTrip sends a request.
func (l leaving) RoundTrip(r *http.Request) (*http.Response, error) {
	type answer struct {
		response *http.Response
		err      error
	}
	got := make(chan answer, 1)
	go func() {
		response, err := l.rt.RoundTrip(r)
		got <- answer{response, err}
	}()
	select {
	case a := <-got:
		return a.response, a.err
	case <-r.Context().Done():
		go func() {
			if a := <-got; a.err == nil {
				_ = a.response.Body.Close()
			}
		}()
		return nil, r.Context().Err()
	}
}

// WrappedRoundTripper is for client-go, which looks below.
func (l leaving) WrappedRoundTripper() http.RoundTripper { return l.rt }

func leavingClient(cfg *rest.Config) (*http.Client, error) {
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, err
	}
	rt := client.Transport
	if rt == nil {
		rt = http.DefaultTransport
	}
	// http.DefaultClient, which client-go gives where nothing is set, is others' too.
	return &http.Client{Transport: leaving{rt}, Timeout: client.Timeout}, nil
}

// typedClient is a client whose requests end with their contexts.
func typedClient(cfg *rest.Config) (*kubernetes.Clientset, error) {
	client, err := leavingClient(cfg)
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	return kubernetes.NewForConfigAndClient(cfg, client)
}

// dynamicClient is a client of any kind whose requests end with their contexts.
func dynamicClient(cfg *rest.Config) (dynamic.Interface, error) {
	cfg = dynamic.ConfigFor(cfg)
	client, err := leavingClient(cfg)
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	return dynamic.NewForConfigAndClient(cfg, client)
}
