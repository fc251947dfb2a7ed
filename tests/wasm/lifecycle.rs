//! Documents over time: one leader per process, news for the others, faults that leave the last good
//! catalog in place.

use std::rc::Rc;

use serde_json::{Value, json};

use super::gateway::{Gateway, Outcome, Request, ok_json, pairs};
use super::host::{Answer, Dispatched, Personality, Process, Vm};
use super::{BOTH, configuration, document};

fn process() -> Rc<Process> {
    let process = Rc::new(Process::default());
    process.now.set(1_700_000_000_000);
    process
}

fn workers(count: usize, personality: Personality, process: &Rc<Process>) -> Vec<Gateway> {
    (0..count).map(|_| Gateway::new(personality, process, &configuration(&json!({})))).collect()
}

/// One round of 50 ms in all VMs; returns the document requests, unanswered.
fn round(process: &Process, gateways: &mut [Gateway]) -> Vec<(usize, Dispatched)> {
    process.now.set(process.now.get() + 50);
    let mut calls = Vec::new();
    for (index, gateway) in gateways.iter_mut().enumerate() {
        gateway.vm.tick().unwrap();
        calls.extend(gateway.calls().into_iter().map(|call| (index, call)));
    }
    calls
}

/// Rounds in which every document request gets `answer`; returns how many there were.
fn rounds(
    process: &Process,
    gateways: &mut [Gateway],
    count: usize,
    mut answer: impl FnMut(&Dispatched) -> Answer,
) -> usize {
    let mut served = 0;
    for _ in 0..count {
        for (index, call) in round(process, gateways) {
            gateways[index].vm.answer(call.token, answer(&call)).unwrap();
            served += 1;
        }
    }
    served
}

fn never(_: &Dispatched) -> Answer {
    panic!("nothing may be sent")
}

#[track_caller]
fn tools(gateway: &mut Gateway) -> Value {
    let reply = gateway.exchange(Request::list(), never).reply();
    assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
    let names = reply.json()["result"]["tools"].as_array().unwrap().clone();
    names.iter().map(|tool| tool["name"].clone()).collect()
}

#[test]
fn one_fetch_for_all_workers() {
    for personality in BOTH {
        let process = process();
        let mut gateways = workers(4, personality, &process);
        assert_eq!(rounds(&process, &mut gateways, 40, |_| ok_json(&document())), 1);
        for gateway in &mut gateways {
            assert_eq!(tools(gateway), json!(["get_pet", "add_pet"]));
        }
    }
}

#[test]
fn before_the_first_document_the_answer_is_503_and_says_why() {
    for personality in BOTH {
        let process = process();
        let mut gateways = workers(1, personality, &process);
        let early = gateways[0].exchange(Request::list(), never).reply();
        assert_eq!(early.status, 503);
        assert!(early.headers.iter().any(|(name, _)| name == "retry-after"));
        let refused = Answer { headers: pairs(&[(":status", "404")]), body: b"gone".to_vec() };
        rounds(&process, &mut gateways, 40, |_| refused.clone());
        let reply = gateways[0].exchange(Request::list(), never).reply();
        assert_eq!(reply.status, 503);
        assert!(reply.json()["error"]["message"].as_str().unwrap().contains("404"));
        assert_eq!(reply.json()["id"], json!(1));
        rounds(&process, &mut gateways, 100, |_| ok_json(&document()));
        assert_eq!(tools(&mut gateways[0]), json!(["get_pet", "add_pet"]));
    }
}

#[test]
fn another_vm_takes_over_when_the_leader_is_gone() {
    for personality in BOTH {
        let process = process();
        let mut gateways = workers(2, personality, &process);
        let first =
            (0..10).find_map(|_| Some(round(&process, &mut gateways)).filter(|c| !c.is_empty()));
        let first = first.unwrap();
        assert_eq!(first.len(), 1);
        let leader = first[0].0;
        gateways.remove(leader);
        assert_eq!(rounds(&process, &mut gateways, 60, |_| ok_json(&document())), 0);
        assert_eq!(rounds(&process, &mut gateways, 80, |_| ok_json(&document())), 1);
        assert_eq!(tools(&mut gateways[0]), json!(["get_pet", "add_pet"]));
    }
}

#[test]
fn refreshes_are_conditional_and_news_replace_the_catalog() {
    for personality in BOTH {
        let process = process();
        let mut gateways = workers(2, personality, &process);
        let tagged = |document: &Value, tag: &str| {
            let mut answer = ok_json(document);
            answer.headers.push(("etag".to_owned(), tag.to_owned()));
            answer
        };
        rounds(&process, &mut gateways, 40, |_| tagged(&document(), "\"1\""));
        let unchanged = Answer { headers: pairs(&[(":status", "304")]), body: Vec::new() };
        let served = rounds(&process, &mut gateways, 1_400, |call| {
            assert_eq!(call.header("if-none-match"), Some("\"1\""));
            unchanged.clone()
        });
        assert_eq!(served, 1);
        let mut news = document();
        news["paths"]["/pets"]["post"]["x-agent"]["name"] = json!("new_pet");
        rounds(&process, &mut gateways, 1_400, |_| tagged(&news, "\"2\""));
        for gateway in &mut gateways {
            assert_eq!(tools(gateway), json!(["get_pet", "new_pet"]));
        }
    }
}

#[test]
fn a_bad_document_is_refused_and_the_last_good_one_stays() {
    for personality in BOTH {
        let process = process();
        let mut gateways = workers(2, personality, &process);
        rounds(&process, &mut gateways, 40, |_| ok_json(&document()));
        let mut bad = document();
        bad["paths"]["/pets"]["post"]["x-agent"]["nmae"] = json!("typo");
        for broken in [bad, json!("no document"), json!({ "openapi": "3.1.0" })] {
            rounds(&process, &mut gateways, 1_400, |_| ok_json(&broken));
            for gateway in &mut gateways {
                assert_eq!(tools(gateway), json!(["get_pet", "add_pet"]));
            }
        }
        let logs = gateways.iter_mut().flat_map(|g| g.vm.state().logs.clone()).collect::<Vec<_>>();
        assert!(logs.iter().any(|line| line.contains("nmae")), "{logs:?}");
    }
}

#[test]
fn a_configuration_that_is_wrong_is_refused_with_all_problems() {
    for personality in BOTH {
        let process = process();
        let mut vm = Vm::start(personality, &process);
        let wrong = configuration(&json!({ "rotues": 1, "limits": { "requestBody": "x" } }));
        assert!(!vm.configure(&wrong).unwrap());
        let logs = vm.state().logs.join("\n");
        assert!(logs.contains("rotues") && logs.contains("limits.requestBody"), "{logs}");
    }
}

#[test]
fn after_a_configuration_update_the_old_context_gives_the_work_up() {
    let process = process();
    let mut gateways = workers(1, Personality::Envoy, &process);
    rounds(&process, &mut gateways, 40, |_| ok_json(&document()));
    let old = gateways[0].vm.root;
    let updated = configuration(&json!({ "routes": [{ "path": "/mcp", "locale": "fr" }] }));
    assert!(gateways[0].vm.configure(&updated).unwrap());
    let new = gateways[0].vm.root;
    rounds(&process, &mut gateways, 40, |_| ok_json(&document()));
    let mut by_context = std::collections::BTreeMap::<u32, usize>::new();
    for _ in 0..3_000 {
        process.now.set(process.now.get() + 50);
        for root in [old, new] {
            gateways[0].vm.root = root;
            gateways[0].vm.tick().unwrap();
        }
        for call in gateways[0].calls() {
            *by_context.entry(call.context).or_default() += 1;
            gateways[0].vm.answer(call.token, ok_json(&document())).unwrap();
        }
    }
    assert_eq!(by_context.get(&old), None, "{by_context:?}");
    assert!(by_context[&new] >= 2);
}

#[test]
fn inline_documents_need_no_request() {
    for personality in BOTH {
        let process = process();
        let text = document().to_string();
        let inline = json!([{ "name": "api", "cluster": "api", "document": { "inline": text } }]);
        let config = configuration(&json!({ "upstreams": inline }));
        let mut gateways = vec![Gateway::new(personality, &process, &config)];
        assert_eq!(rounds(&process, &mut gateways, 40, never), 0);
        assert_eq!(tools(&mut gateways[0]), json!(["get_pet", "add_pet"]));
    }
}

#[test]
fn linked_texts_of_skills_are_fetched_once_and_again_with_the_document() {
    let mut linking = document();
    linking["x-agent"] = json!({ "skills": [
        { "name": "here", "description": "d", "href": "agents/here.md" },
        { "name": "gone", "description": "d", "href": "gone.md" },
        { "name": "away", "description": "d", "href": "https://elsewhere.test/away.md" },
    ] });
    for personality in BOTH {
        let process = process();
        let mut gateways = workers(2, personality, &process);
        let mut paths = Vec::new();
        let mut answer = |call: &Dispatched| {
            let path = call.header(":path").unwrap();
            paths.push(path.to_owned());
            match path {
                "/openapi.json" => ok_json(&linking),
                "/agents/here.md" => {
                    Answer { headers: pairs(&[(":status", "200")]), body: b"# Here".to_vec() }
                }
                _ => Answer { headers: pairs(&[(":status", "404")]), body: Vec::new() },
            }
        };
        rounds(&process, &mut gateways, 40, &mut answer);
        rounds(&process, &mut gateways, 1_300, &mut answer);
        let once = ["/openapi.json", "/agents/here.md", "/gone.md"];
        assert_eq!(paths, [once, once].concat());
        for gateway in &mut gateways {
            assert_eq!(tools(gateway), json!(["get_pet", "add_pet"]));
            assert!(resource(gateway, "skill://here/SKILL.md").to_string().contains("# Here"));
            for left_out in ["skill://gone/SKILL.md", "skill://away/SKILL.md"] {
                assert!(resource(gateway, left_out)["error"].is_object(), "{left_out}");
            }
        }
        let logs = gateways.iter_mut().flat_map(|g| g.vm.state().logs.clone()).collect::<Vec<_>>();
        for at in ["at=/x-agent/skills/1/href", "at=/x-agent/skills/2/href"] {
            assert!(logs.iter().any(|line| line.contains(at)), "{at}: {logs:?}");
        }
    }
}

fn resource(gateway: &mut Gateway, uri: &str) -> Value {
    let params = json!({ "uri": uri });
    let read = json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": params });
    gateway.exchange(Request::mcp(&read), never).reply().json()
}

#[test]
fn route_metadata_gets_a_view_of_its_own_and_the_first_request_waits_for_it() {
    let process = process();
    let mut gateways = workers(2, Personality::Envoy, &process);
    rounds(&process, &mut gateways, 40, |_| ok_json(&document()));
    let metadata = super::host::serialize(&pairs(&[("namePrefix", "my_")]));
    for gateway in &mut gateways {
        let name = "xds.route_metadata.filter_metadata.openapi_mcp".to_owned();
        gateway.vm.state().properties.insert(name, metadata.clone());
    }
    let (id, outcome) = gateways[1].send(Request::list());
    assert!(matches!(outcome, Outcome::Waiting), "{outcome:?}");
    rounds(&process, &mut gateways, 40, never);
    let reply = gateways[1].reply(id).unwrap().json();
    assert_eq!(reply["result"]["tools"][0]["name"], json!("my_get_pet"));
    gateways[1].vm.close(id).unwrap();
    assert_eq!(tools(&mut gateways[0]), json!(["my_get_pet", "my_add_pet"]));
}

#[test]
fn metrics_tell_calls_and_reloads() {
    let process = process();
    let mut gateways = workers(1, Personality::Envoy, &process);
    rounds(&process, &mut gateways, 40, |_| ok_json(&document()));
    gateways[0].exchange(Request::call("get_pet", &json!({ "id": "1" })), |_| ok_json(&json!({})));
    gateways[0].exchange(Request::call("get_pet", &json!({})), never);
    let metrics = process.metrics.borrow();
    for name in [
        "openapi_mcp.tool_calls.get_pet.success",
        "openapi_mcp.tool_calls.get_pet.invalid_arguments",
        "openapi_mcp.validation_failures",
        "openapi_mcp.document.api.loaded",
    ] {
        assert_eq!(metrics.get(name), Some(&1), "{name}: {metrics:?}");
    }
    assert!(metrics.contains_key("openapi_mcp.document.api.age_seconds"));
}

#[test]
fn calls_that_find_and_show_operations_are_counted_under_their_own_names() {
    let process = process();
    let options = configuration(&json!({ "routes": [{ "path": "/mcp", "exposure": "search" }] }));
    let mut gateways = vec![Gateway::new(Personality::Envoy, &process, &options)];
    rounds(&process, &mut gateways, 40, |_| ok_json(&document()));
    let mut call = |tool: &str, arguments: Value| {
        gateways[0].exchange(Request::call(tool, &arguments), |_| ok_json(&json!({})));
    };
    call("search_operations", json!({ "query": "pet" }));
    call("describe_operation", json!({ "name": "get_pet" }));
    call("describe_operation", json!({ "name": "no such operation" }));
    call("call_operation", json!({ "name": "get_pet", "arguments": { "id": "1" } }));
    let metrics = process.metrics.borrow();
    let calls = metrics
        .iter()
        .filter_map(|(name, count)| Some((name.strip_prefix("openapi_mcp.tool_calls.")?, *count)));
    assert_eq!(
        calls.collect::<Vec<_>>(),
        [
            ("describe_operation.invalid_arguments", 1),
            ("describe_operation.success", 1),
            ("get_pet.success", 1),
            ("search_operations.success", 1),
        ]
    );
}

#[test]
fn whatever_happens_to_shared_data_new_workers_get_the_tools() {
    for personality in BOTH {
        let process = process();
        let mut gateways = workers(2, personality, &process);
        rounds(&process, &mut gateways, 40, |_| ok_json(&document()));
        tools(&mut gateways[1]);
        let keys = process.data.borrow().keys().cloned().collect::<Vec<_>>();
        assert!(keys.iter().any(|key| key.contains("/view/")), "{keys:?}");
        let foreign: [&[u8]; 9] = [
            b"",
            b"\xff\xfe",
            b"{}",
            b"[]",
            b"null",
            b"18446744073709551615",
            br#"{"owner":7,"until":18446744073709551615,"named":true}"#,
            br#"{"revision":18446744073709551615,"views":{"x":{"digest":"y"}},"failures":{}}"#,
            br#"[{"route":4294967295,"overrides":[["namePrefix",[255]]]}]"#,
        ];
        for (key, value) in keys.iter().flat_map(|key| foreign.map(|value| (key, value))) {
            let cas = process.next_cas();
            process.data.borrow_mut().insert(key.clone(), (value.to_vec(), cas));
            gateways.push(workers(1, personality, &process).remove(0));
            let newest = gateways.len() - 1;
            gateways[newest].exchange(Request::list(), |_| ok_json(&json!({})));
            rounds(&process, &mut gateways, 300, |_| ok_json(&document()));
            for gateway in &mut gateways {
                assert_eq!(tools(gateway), json!(["get_pet", "add_pet"]), "{key} {value:?}");
            }
            gateways.pop();
        }
    }
}

#[test]
fn a_problem_is_one_short_line() {
    let process = process();
    let mut gateways = workers(1, Personality::Envoy, &process);
    let version = format!("3\nevent=made_up {}", "x".repeat(100_000));
    rounds(&process, &mut gateways, 40, |_| ok_json(&json!({ "openapi": version })));
    let logs = gateways[0].vm.state().logs.clone();
    assert!(logs.iter().any(|line| line.contains("document_problem")));
    assert!(logs.iter().all(|line| line.len() < 3_000 && !line.contains('\n')), "{logs:?}");
    let reply = gateways[0].exchange(Request::list(), never).reply();
    assert_eq!(reply.status, 503);
    assert!(reply.body.len() < 3_000);
}
