package cluster

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	admissionv1 "k8s.io/api/admission/v1"
	registrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AddWebhook has the API server ask answer about every AdminNetworkPolicy that is created, changed or deleted. A nil
// response allows the request. The API server takes a moment to learn of it. It ends with the returned function.
func (c *Cluster) AddWebhook(ctx context.Context, answer func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse) (end func(), err error) {
	certText, key, err := c.ca.server()
	if err != nil {
		return nil, err
	}
	cert, err := tls.X509KeyPair(certText, key)
	if err != nil {
		return nil, fmt.Errorf("reading the webhook's certificate: %w", err)
	}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil || review.Request == nil {
			http.Error(w, "no review", http.StatusBadRequest)
			return
		}
		response := answer(review.Request)
		if response == nil {
			response = &admissionv1.AdmissionResponse{Allowed: true}
		}
		response.UID = review.Request.UID
		_ = json.NewEncoder(w).Encode(admissionv1.AdmissionReview{TypeMeta: review.TypeMeta, Response: response})
	}))
	srv.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	srv.StartTLS()
	none, all := registrationv1.SideEffectClassNone, []registrationv1.OperationType{registrationv1.OperationAll}
	config := &registrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "guard"},
		Webhooks: []registrationv1.MutatingWebhook{{Name: "guard.rung.test", SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
			ClientConfig: registrationv1.WebhookClientConfig{URL: &srv.URL, CABundle: c.ca.pem},
			Rules: []registrationv1.RuleWithOperations{{Operations: all, Rule: registrationv1.Rule{APIGroups: []string{"policy.networking.k8s.io"},
				APIVersions: []string{"*"}, Resources: []string{"adminnetworkpolicies"}}}}}}}
	if _, err := c.Client.AdmissionregistrationV1().MutatingWebhookConfigurations().Create(ctx, config, metav1.CreateOptions{}); err != nil {
		srv.Close()
		return nil, fmt.Errorf("registering the webhook: %w", err)
	}
	return srv.Close, nil
}
