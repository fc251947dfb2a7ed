//! The composition vector through the built module: one route over several upstreams, some of them
//! without a document that can be used.

use std::rc::Rc;

use serde_json::{Value, json};

use super::compositions::{self, Composition, skill_id};
use super::gateway::{Gateway, Request, ok_json, pairs};
use super::host::{Answer, Personality, Process};
use super::vectors::{Exceptions, Tally, report};

#[test]
fn compositions_equal_the_vectors() {
    let (compositions, documents) = compositions::read();
    let exceptions = Exceptions::load();
    let mut tally = Tally::default();
    for composition in &compositions {
        let mut gateway = start(composition);
        for _ in 0..40 {
            gateway.pass(50);
            for call in gateway.calls() {
                let path = call.header(":path").unwrap();
                let id = path.trim_start_matches('/').trim_end_matches(".json");
                let answer = match documents.get(id) {
                    Some(document) => ok_json(document),
                    None => Answer { headers: pairs(&[(":status", "404")]), body: Vec::new() },
                };
                gateway.vm.answer(call.token, answer).unwrap();
            }
        }
        let tools = ask(&mut gateway, "tools/list")["tools"].take();
        let tools = names(&tools, "name");
        let found = ask(&mut gateway, "resources/list")["resources"].take();
        let skills = names(&found, "uri").iter().map(|uri| skill_id(uri)).collect::<Value>();
        let instructions = ask(&mut gateway, "initialize")["instructions"].take();
        let instructions = instructions.as_str().unwrap_or_default();
        let logs = &gateway.vm.state().logs;
        let is_told = |id: &&String| {
            let upstream = format!("upstream={id} ");
            let mut faults = logs.iter().filter(|line| {
                line.contains("effect=document_refused") || line.contains("document_fetch_failed")
            });
            faults.any(|line| line.contains(&upstream))
        };
        let faulty = composition.services.iter().filter(is_told).cloned().collect::<Value>();
        for (what, ours) in [
            ("tools", tools.into()),
            ("instructions", instructions.into()),
            ("skills", skills),
            ("faulty", faulty),
        ] {
            exceptions.judge(composition.check(what, ours), &mut tally);
        }
    }
    report(&format!("wasm {}:", compositions::FILE));
    exceptions.add(tally);
    exceptions.finish(|entry| entry["file"] == compositions::FILE);
}

fn start(composition: &Composition) -> Gateway {
    let upstreams = composition.services.iter().map(|id| {
        json!({ "name": id, "cluster": id, "authority": format!("{id}.test"),
            "document": { "path": format!("/{id}.json") } })
    });
    let mut route = json!({ "path": "/mcp", "upstreams": composition.services });
    if !composition.profiles.is_empty() {
        route["profiles"] = json!(composition.profiles);
    }
    if let Some(prefix) = &composition.prefix {
        route["namePrefix"] = json!(prefix);
    }
    let config = json!({ "upstreams": upstreams.collect::<Value>(), "routes": [route] });
    let process = Rc::new(Process::default());
    process.now.set(1_700_000_000_000);
    Gateway::new(Personality::Envoy, &process, &config.to_string())
}

fn ask(gateway: &mut Gateway, method: &str) -> Value {
    let client = json!({ "name": "tests", "version": "1" });
    let params = match method {
        "initialize" => {
            json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client })
        }
        _ => json!({}),
    };
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let outcome = gateway.exchange(Request::mcp(&message), |_| panic!("nothing may be sent"));
    outcome.reply().json()["result"].take()
}

fn names(list: &Value, key: &str) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items.map(|item| item[key].as_str().unwrap().to_owned()).collect()
}
