mod golden;
mod plan;
