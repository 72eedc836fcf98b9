// Signs people in with go-oidc, in the steps of oauth2-proxy: discovery, a code with PKCE, the ID token's verification, the address in it.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func main() {
	issuer, listen := os.Getenv("ISSUER"), os.Getenv("LISTEN")
	provider, err := oidc.NewProvider(context.Background(), issuer)
	if err != nil {
		log.Fatal(err)
	}
	verifier := provider.Verifier(&oidc.Config{ClientID: "oauth2-proxy"})
	config := oauth2.Config{
		ClientID:     "oauth2-proxy",
		ClientSecret: os.Getenv("SECRET"),
		Endpoint:     provider.Endpoint(),
		RedirectURL:  "http://" + listen + "/oauth2/callback",
		Scopes:       strings.Fields("openid profile email"),
	}
	proof, nonce := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	http.HandleFunc("/open", func(w http.ResponseWriter, r *http.Request) {})
	http.HandleFunc("/start", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, config.AuthCodeURL("state", oauth2.S256ChallengeOption(proof), oidc.Nonce(nonce)), http.StatusFound)
	})
	http.HandleFunc("/oauth2/callback", func(w http.ResponseWriter, r *http.Request) {
		token, err := config.Exchange(r.Context(), r.URL.Query().Get("code"), oauth2.VerifierOption(proof))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		raw, _ := token.Extra("id_token").(string)
		idToken, err := verifier.Verify(r.Context(), raw)
		if err != nil || idToken.Nonce != nonce {
			http.Error(w, "the ID token is not valid", http.StatusBadGateway)
			return
		}
		var claims struct {
			Email    string `json:"email"`
			Verified bool   `json:"email_verified"`
		}
		if err := idToken.Claims(&claims); err != nil || !claims.Verified {
			http.Error(w, "no verified address", http.StatusForbidden)
			return
		}
		_ = json.NewEncoder(w).Encode(claims.Email)
	})
	log.Fatal(http.ListenAndServe(listen, nil))
}
