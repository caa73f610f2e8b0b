package kube

import (
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"strings"

	"k8s.io/client-go/rest"

	"rung/model/words"
)

// takeLogin moves user and password from the server's URL to hidden fields. As in Go's client, they replace a token.
func takeLogin(cfg *rest.Config) {
	scheme, rest, found := strings.Cut(cfg.Host, "://")
	if !found {
		scheme, rest = "https", cfg.Host
	}
	u, err := url.Parse(scheme + "://" + rest)
	if err != nil || u.User == nil {
		return // the first request will report what is wrong
	}
	cfg.Username = u.User.Username()
	cfg.Password, _ = u.User.Password()
	cfg.BearerToken, cfg.BearerTokenFile = "", ""
	u.User = nil
	cfg.Host = u.String()
	if !found {
		cfg.Host = strings.TrimPrefix(cfg.Host, "https://")
	}
}

// hideCredentials makes a transport that hides the request's credentials, which a server may echo in warnings
// and refusals.
func hideCredentials(rt http.RoundTripper) http.RoundTripper { return &credentialHider{rt} }

type credentialHider struct{ next http.RoundTripper }

// WrappedRoundTripper returns the transport below, which client-go asks for.
func (h *credentialHider) WrappedRoundTripper() http.RoundTripper { return h.next }

// maxRefusal bounds the body of a refusal that is searched for credentials, in bytes.
const maxRefusal = 1 << 20

func (h *credentialHider) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := h.next.RoundTrip(req)
	secrets := requestCredentials(req)
	if err != nil || len(secrets) == 0 {
		return resp, err
	}
	for i, text := range resp.Header["Warning"] {
		resp.Header["Warning"][i] = string(hideSecrets([]byte(text), secrets))
	}
	if resp.StatusCode >= 400 && resp.Body != nil {
		text, err := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
		rest := io.Reader(resp.Body)
		if err != nil {
			rest = failingReader{err}
		}
		resp.Body = &refusal{io.MultiReader(bytes.NewReader(hideSecrets(text, secrets)), rest), resp.Body}
	}
	return resp, nil
}

// refusal is the body of a refusal without credentials.
type refusal struct {
	io.Reader
	io.Closer
}

// failingReader returns the error of a broken-off body.
type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// shortestSecret is the least length of a password that is removed from texts; a shorter one may be any word.
const shortestSecret = 4

// requestCredentials returns the secrets in a request's Authorization header, in every form.
func requestCredentials(req *http.Request) (out []string) {
	scheme, value, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	value = strings.TrimSpace(value)
	if len(value) < shortestSecret {
		return nil
	}
	out = append(out, value)
	if strings.EqualFold(scheme, "basic") {
		if text, err := base64.StdEncoding.DecodeString(value); err == nil {
			if _, password, _ := strings.Cut(string(text), ":"); len(password) >= shortestSecret {
				out = append(out, password)
			}
		}
	}
	return out
}

// hideSecrets writes stars over the secrets in a text. The length stays, since protobuf encodes it.
func hideSecrets(text []byte, secrets []string) []byte {
	for _, s := range secrets {
		text = bytes.ReplaceAll(text, []byte(s), bytes.Repeat([]byte("*"), len(s)))
	}
	return text
}

// shown returns a URL, or a text with URLs, clean and without logins.
func shown(text string) string { return words.CleanText(words.WithoutLogins(text)) }
