package recipe;

import static org.springframework.security.config.Customizer.withDefaults;

import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Signs people in, and answers bearers of access tokens, by Spring Security's defaults. */
@SpringBootApplication
@RestController
public class Application {
  public static void main(String[] args) {
    SpringApplication.run(Application.class, args);
  }

  @Bean
  SecurityFilterChain security(HttpSecurity http) throws Exception {
    return http
        .authorizeHttpRequests(requests -> requests.requestMatchers("/open").permitAll().anyRequest().authenticated())
        .oauth2Login(withDefaults())
        .oauth2ResourceServer(server -> server.jwt(withDefaults()))
        .build();
  }

  @GetMapping("/open")
  String open() {
    return "open";
  }

  @GetMapping("/me")
  Map<String, Object> me(@AuthenticationPrincipal OidcUser user) {
    return Map.of("name", user.getFullName(), "email", user.getEmail());
  }

  @GetMapping("/orders")
  Map<String, Object> orders(@AuthenticationPrincipal Jwt token) {
    return Map.of("sub", token.getSubject(), "scope", token.getClaimAsString("scope"));
  }
}
