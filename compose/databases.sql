-- Prefect's database is the image's POSTGRES_DB
CREATE DATABASE mlflow;
