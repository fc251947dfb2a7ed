//! Security schemes of the document and the credentials that are configured for them.

use super::context::Report;
use crate::config::{Credential, CredentialSource};
use crate::json::Problem;
use crate::openapi::{Document, Operation, Parameter, SchemeKind, SecurityScheme};
use crate::tool::{CredentialPlan, Place};

/// What is known about credentials of one document.
#[derive(Debug)]
pub(super) struct Security<'d> {
    schemes: Vec<SecurityScheme<'d>>,
    /// Where the credentials that are configured go; nowhere for schemes of the connection.
    usable: Vec<(&'d str, Vec<CredentialPlan>)>,
    is_configured: bool,
}

impl<'d> Security<'d> {
    /// Reads the schemes and matches the configured credentials with them. Also returns what is
    /// wrong with the credentials; such ones are not used.
    pub(super) fn new(document: &'d Document, credentials: &[Credential]) -> (Self, Vec<Problem>) {
        let schemes = document.security_schemes();
        let mut problems = Vec::new();
        for credential in credentials {
            if !schemes.iter().any(|scheme| scheme.name == credential.scheme) {
                let name = &credential.scheme;
                let message = format!(
                    "a credential is configured for `{name}`, which is no security scheme of this \
                     document"
                );
                problems.push(Problem::new("/components/securitySchemes", message));
            }
        }
        let usable = schemes.iter().filter_map(|scheme| {
            if scheme.kind == SchemeKind::MutualTls {
                return Some((scheme.name, Vec::new()));
            }
            let credential = credentials.iter().find(|it| it.scheme == scheme.name)?;
            match carrier(scheme, &credential.source) {
                Ok(plan) => Some((scheme.name, vec![plan])),
                Err(message) => {
                    problems.push(Problem::new(scheme.pointer.clone(), message));
                    None
                }
            }
        });
        let usable = usable.collect();
        (Self { schemes, usable, is_configured: !credentials.is_empty() }, problems)
    }

    /// The scheme whose key goes where a parameter is: agents are not asked for it.
    pub(super) fn owner(&self, parameter: &Parameter<'_>) -> Option<&'d str> {
        let owns = |scheme: &&SecurityScheme<'_>| match scheme.kind {
            SchemeKind::ApiKey(Place::Header, name) => {
                parameter.place == Place::Header && parameter.name.eq_ignore_ascii_case(name)
            }
            SchemeKind::ApiKey(place, name) => parameter.place == place && parameter.name == name,
            SchemeKind::Http(_) | SchemeKind::MutualTls | SchemeKind::Unknown => false,
        };
        self.schemes.iter().find(owns).map(|scheme| scheme.name)
    }

    /// The alternatives for which all credentials are configured; one that sends nothing is what is
    /// left when none is complete. The schemes that own parameters of the operation are part of each.
    pub(super) fn plan(
        &self,
        operation: &Operation<'_>,
        report: &mut Report,
    ) -> Vec<Vec<CredentialPlan>> {
        let owned = operation.parameters.iter().filter_map(|parameter| self.owner(parameter));
        let owned: Vec<&str> = owned.filter(|name| self.usable(name).is_some()).collect();
        let mut plans: Vec<Vec<CredentialPlan>> = Vec::new();
        for alternative in &operation.security {
            let others = owned.iter().filter(|name| !alternative.contains(name));
            let names = alternative.iter().chain(others);
            let found: Option<Vec<_>> = names.map(|name| self.usable(name)).collect();
            let sent = found.map(|found| found.into_iter().flatten().cloned().collect::<Vec<_>>());
            plans.extend(sent.filter(|plan| !plans.contains(plan)));
        }
        if operation.security.is_empty() {
            let sent = owned.iter().filter_map(|name| self.usable(name));
            plans.push(sent.flatten().cloned().collect());
        }
        if plans.is_empty() && self.is_configured {
            let message = "the operation needs credentials, and for none of its alternatives all \
                           are configured: it is called without";
            report.warn(Problem::new(operation.pointer.clone(), message));
        }
        plans.retain(|plan| !plan.is_empty());
        plans
    }

    /// What is sent for a scheme; `None` when it is not known what.
    fn usable(&self, scheme: &str) -> Option<&[CredentialPlan]> {
        let (_, plan) = self.usable.iter().find(|(name, _)| *name == scheme)?;
        Some(plan)
    }
}

/// Where a credential goes.
///
/// # Errors
/// The scheme cannot be served with it.
fn carrier(
    scheme: &SecurityScheme<'_>,
    source: &CredentialSource,
) -> Result<CredentialPlan, String> {
    let plan = |place, name: &str, prefix: &str| CredentialPlan {
        scheme: scheme.name.to_owned(),
        place,
        name: if place == Place::Header { name.to_ascii_lowercase() } else { name.to_owned() },
        prefix: prefix.to_owned(),
    };
    let is_pair = matches!(source, CredentialSource::Basic(_));
    let name = scheme.name;
    match scheme.kind {
        SchemeKind::ApiKey(place, key) if !is_pair => Ok(plan(place, key, "")),
        SchemeKind::Http("Basic") if matches!(source, CredentialSource::Value(_)) => Err(format!(
            "`{name}` wants a user: configure its credential with `username` and `password`"
        )),
        SchemeKind::Http(prefix) if prefix == "Basic" || !is_pair => {
            Ok(plan(Place::Header, "authorization", prefix))
        }
        SchemeKind::ApiKey(..) | SchemeKind::Http(_) => {
            Err(format!("`{name}` wants a key or a token: configure its credential with `value`"))
        }
        SchemeKind::MutualTls | SchemeKind::Unknown => {
            Err(format!("`{name}` is no scheme that a credential can be sent for"))
        }
    }
}
